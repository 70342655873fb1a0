#include "tests/unit/fakes/nvml/fake_library.h"

namespace gp {
namespace {

TEST(FakeNvmlExports, HasEveryFunctionOfTheRealLibrary) {
  std::ifstream list(GP_SOURCE_DIR "/fakes/nvml/functions.txt");
  int count = 0;
  for (std::string name; std::getline(list, name);) {
    if (!name.starts_with("nvml")) continue;
    EXPECT_NE(dlsym(FakeLibrary::Handle(), name.c_str()), nullptr) << name;
    ++count;
  }
  EXPECT_GE(count, 411);
}

TEST(FakeNvmlExports, ShowsNothingElse) {
  // Of the parts linked into it: yaml-cpp, the project's own code, glibc's flag.
  void* self = FakeLibrary::Handle();
  for (const char* name :
       {"_ZN4YAML8LoadFileERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
        "_ZN2gp10FakeDriver3GetEv",
        "_ZN2gp8Digest64ESt17basic_string_viewIcSt11char_traitsIcEEm"}) {
    Dl_info info = {};
    void* symbol = dlsym(self, name);
    const bool inside = symbol != nullptr && dladdr(symbol, &info) != 0 &&
                        std::string(info.dli_fname).find("libnvidia-ml") != std::string::npos;
    EXPECT_FALSE(inside) << name;
  }
}

TEST_F(FakeNvmlTest, WhatIsNotPlayedIsNotSupported) {
  StartMachine("t4-laptop");
  using Unknown = nvmlReturn_t (*)(nvmlDevice_t, void*);
  const auto call = reinterpret_cast<Unknown>(FakeLibrary::Symbol("nvmlDeviceGetPlatformInfo"));
  EXPECT_EQ(call(Gpu(0), nullptr), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(FakeNvmlTest, RefusesWithoutAMachine) {
  unsetenv("GPU_PLATFORM_FAKE_NVML_MACHINE");
  EXPECT_EQ(NVML(nvmlInit_v2)(), NVML_ERROR_DRIVER_NOT_LOADED);
  EXPECT_EQ(Start("/nonexistent/machine.yaml"), NVML_ERROR_DRIVER_NOT_LOADED);
  unsigned count = 7;
  EXPECT_EQ(NVML(nvmlDeviceGetCount_v2)(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(count, 7u);
}

class BadMachine : public FakeNvmlTest, public testing::WithParamInterface<const char*> {};

TEST_P(BadMachine, IsRefused) {
  const std::string path = control_ + ".yaml";
  std::ofstream(path) << GetParam();
  EXPECT_EQ(Start(path), NVML_ERROR_LIB_RM_VERSION_MISMATCH);
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadMachine,
    testing::Values("", "just text", "machine: gpu-platform/v2\n",
                    "machine: gpu-platform/v1\nnoma: []\n",
                    "machine: gpu-platform/v1\nnuma:\n  - {id: 0, cpus: \"3-1\"}\n",
                    "machine: gpu-platform/v1\ngpus:\n  - {uuid: GPU-1, bus_id: \"nowhere\"}\n",
                    "machine: gpu-platform/v1\ngpus:\n  - {bus_id: \"0000:01:00.0\"}\n",
                    "machine: gpu-platform/v1\ngpu_defaults: {mig: a1000}\ngpus:\n"
                    "  - {uuid: GPU-1, bus_id: \"0000:01:00.0\", memory_mib: {total: 1}}\n",
                    "machine: gpu-platform/v1\ngpus: [ {"));

}  // namespace
}  // namespace gp
