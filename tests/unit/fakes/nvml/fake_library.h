#pragma once

// Opens the fake as a client would and calls its functions by name.  Each test initialises it
// with a machine file and a control file of its own.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/outbound/nvml/abi.h"

// NVML(nvmlDeviceGetCount_v2)(&count)
#define NVML(function) reinterpret_cast<decltype(&function)>(gp::FakeLibrary::Symbol(#function))

namespace gp {

class FakeLibrary {
 public:
  static void* Handle() {
    static void* handle = dlopen(GP_BINARY_DIR "/lib/gpu-platform/libnvidia-ml.so.1", RTLD_NOW);
    return handle;
  }
  static void* Symbol(const char* name) {
    void* symbol = dlsym(Handle(), name);
    EXPECT_NE(symbol, nullptr) << name << " is missing";
    return symbol;
  }
};

inline std::string MachinePath(const std::string& name) {
  return std::string(GP_SOURCE_DIR) + "/data/machines/" + name + ".yaml";
}

class FakeNvmlTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(FakeLibrary::Handle(), nullptr) << dlerror();
    control_ = testing::TempDir() + "fake-nvml-" + std::to_string(getpid());
    std::filesystem::remove(control_);
    setenv("GPU_PLATFORM_FAKE_NVML_CONTROL", control_.c_str(), 1);
    unsetenv("GPU_PLATFORM_FAKE_NVML_NODE");
  }
  void TearDown() override {
    while (NVML(nvmlShutdown)() == NVML_SUCCESS) {
    }
    std::filesystem::remove(control_);
  }

  nvmlReturn_t Start(const std::string& path) {
    setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", path.c_str(), 1);
    return NVML(nvmlInit_v2)();
  }
  void StartMachine(const std::string& name) {
    ASSERT_EQ(Start(MachinePath(name)), NVML_SUCCESS) << name;
  }
  // As somebody's `echo … >> control` does.
  void Tell(const std::string& command) {
    std::ofstream(control_, std::ios::app) << command << '\n';
  }

  static nvmlDevice_t Gpu(unsigned index) {
    nvmlDevice_t device = {};
    EXPECT_EQ(NVML(nvmlDeviceGetHandleByIndex_v2)(index, &device), NVML_SUCCESS);
    return device;
  }
  static std::string Uuid(nvmlDevice_t device) {
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = "";
    EXPECT_EQ(NVML(nvmlDeviceGetUUID)(device, uuid, sizeof uuid), NVML_SUCCESS);
    return uuid;
  }

  std::string control_;
};

}  // namespace gp
