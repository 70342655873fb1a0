#include "adapters/outbound/driver_files/driver_names.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(DriverNamesTest, VersionsOfDriversAndOthers) {
  EXPECT_EQ(DriverVersionOf("libcuda.so.580.105.08"), "580.105.08");
  EXPECT_EQ(DriverVersionOf("libcuda.so.580.95"), "580.95");
  for (const char* other :
       {"libcuda.so", "libcuda.so.1", "libc.so.6", "libx.so.1.2.3", "libx.so.5801.2", "libx.so.580",
        "libx.so.580.", "libx.so.580.a", "cuda.so.580.105.08", ""})
    EXPECT_EQ(DriverVersionOf(other), "") << other;
}

TEST(DriverNamesTest, WhatIsForGraphicsAlone) {
  for (const char* name : {"libGLX_nvidia.so.580.1", "libnvidia-rtcore.so.580.1", "libnvoptix.so.1",
                           "10_nvidia.json", "nvidia_icd.json"})
    EXPECT_TRUE(IsForGraphics(name)) << name;
  for (const char* name : {"libcuda.so.580.1", "libnvidia-ml.so.1", "libnvidia-gpucomp.so.580.1",
                           "libnvcuvid.so.1", "libnvidia-encode.so.1", "nvidia-smi"})
    EXPECT_FALSE(IsForGraphics(name)) << name;
}

}  // namespace
}  // namespace gp
