#pragma once

// The fake NVIDIA driver in this process, playing one machine file, with a control file of its own
// through which a test does things to the machine.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/outbound/nvml/nvml_driver.h"

namespace gp {

class FakeDriverSession {
 public:
  explicit FakeDriverSession(const std::string& machine_path) {
    std::string pattern = (std::filesystem::temp_directory_path() / "gp_discovery_XXXXXX").string();
    const int fd = mkstemp(pattern.data());
    if (fd >= 0) close(fd);
    control_ = pattern;
    setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", machine_path.c_str(), 1);
    setenv("GPU_PLATFORM_FAKE_NVML_CONTROL", control_.c_str(), 1);
  }
  ~FakeDriverSession() { std::filesystem::remove(control_); }
  FakeDriverSession(const FakeDriverSession&) = delete;
  FakeDriverSession& operator=(const FakeDriverSession&) = delete;

  // "xid gpu=1 code=31" (docs/how-to/fake_driver.md).
  void Command(const std::string& line) { std::ofstream(control_, std::ios::app) << line << '\n'; }

  static Result<std::unique_ptr<NvmlDriver>> Open() {
    // Stays loaded for the whole test: the fake brings its own C++ runtime, which keeps a little
    // memory each time it is unloaded, and leak checkers would blame the adapter.
    static void* const pinned = dlopen(GP_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
    return pinned != nullptr ? NvmlDriver::Open(GP_FAKE_NVML) : Fail(Internal(dlerror()));
  }

 private:
  std::string control_;
};

}  // namespace gp
