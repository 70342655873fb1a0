#include "adapters/outbound/nvml/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace gp {
namespace {

using testing::HasSubstr;

Error OpenError(const std::string& path) {
  const auto library = NvmlLibrary::Open(path);
  EXPECT_FALSE(library.has_value());
  return library.has_value() ? Error() : library.error();
}

Error StoppedDriverError(nvmlReturn_t result) {
  setenv("TEST_NVML_INIT", std::to_string(result).c_str(), 1);
  return OpenError(GP_BINARY_DIR "/test_drivers/libtest_driver_stopped.so");
}

TEST(NvmlLibrary, SaysHowToGoOnWithoutALibrary) {
  const Error error = OpenError("/nonexistent/libnvidia-ml.so.1");
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("/nonexistent/libnvidia-ml.so.1"));
  EXPECT_THAT(error.message, HasSubstr("install the NVIDIA driver"));
  EXPECT_THAT(error.message, HasSubstr("--simulate"));
}

TEST(NvmlLibrary, RefusesAFileThatIsNoLibrary) {
  const std::string path = testing::TempDir() + "/not_a_library.so";
  std::ofstream(path) << "hello";
  const Error error = OpenError(path);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr(path));
}

TEST(NvmlLibrary, RefusesALibraryThatIsNotNvml) {
  const Error error = OpenError("libm.so.6");
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("libm.so.6: no nvml"));
}

TEST(NvmlLibrary, ExplainsWhyTheDriverDoesNotStart) {
  const Error not_loaded = StoppedDriverError(NVML_ERROR_DRIVER_NOT_LOADED);
  EXPECT_EQ(not_loaded.code, ErrorCode::kUnavailable);
  EXPECT_THAT(not_loaded.message, HasSubstr("Driver Not Loaded; load it with `modprobe nvidia`"));
  EXPECT_THAT(not_loaded.message, HasSubstr("--simulate"));

  const Error updated = StoppedDriverError(NVML_ERROR_LIB_RM_VERSION_MISMATCH);
  EXPECT_EQ(updated.code, ErrorCode::kUnavailable);
  EXPECT_THAT(updated.message, HasSubstr("reboot"));

  const Error forbidden = StoppedDriverError(NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(forbidden.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(forbidden.message, HasSubstr("/dev/nvidiactl"));
}

}  // namespace
}  // namespace gp
