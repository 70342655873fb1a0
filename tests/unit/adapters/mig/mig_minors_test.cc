#include "adapters/outbound/mig/mig_minors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace gp {
namespace {

class MigMinors : public testing::Test {
 protected:
  MigMinors() : path_(testing::TempDir() + "mig-minors-" + std::to_string(getpid())) {}
  ~MigMinors() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) { std::ofstream(path_) << text; }

  std::string path_;
};

// Lines as the driver of an A100 writes them.
TEST_F(MigMinors, AreThoseOfTheInstanceAndOfItsCompute) {
  Write(
      "config 1\nmonitor 2\ngpu0/gi0/access 3\ngpu0/gi0/ci0/access 4\ngpu0/gi1/access "
      "12\ngpu0/gi1/ci0/access 13\ngpu1/gi1/access 147\ngpu1/gi1/ci0/access 148\n");
  const auto devices = MigDevices(path_, 237, 1, 1, 0);
  ASSERT_TRUE(devices) << devices.error().message;
  EXPECT_EQ(*devices, (std::vector<DeviceNumber>{{237, 147}, {237, 148}}));
}

TEST_F(MigMinors, MissingOnesAreToldByName) {
  Write("gpu0/gi1/access 12\n");
  const auto devices = MigDevices(path_, 237, 0, 1, 0);
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().message, path_ + " does not list the devices of gpu0/gi1/ci0/access");
  EXPECT_FALSE(MigDevices("/nonexistent", 237, 0, 1, 0));
}

TEST_F(MigMinors, OfSimulatedGpusAreNumberedAsTheDriverDoes) {
  const auto all = MigMinorsOf(1);
  ASSERT_EQ(all.size(), 135u);
  EXPECT_EQ(all[0].name, "gpu1/gi0/access");
  EXPECT_EQ(all[0].minor, 138);
  EXPECT_EQ(all[10].name, "gpu1/gi1/ci0/access");
  EXPECT_EQ(all[10].minor, 148);
}

TEST_F(MigMinors, TheMajorIsTheKernelsChoice) {
  Write(
      "Character devices:\n195 nvidia-frontend\n237 nvidia-caps\n238 nvidia-caps-imex-channels\n");
  EXPECT_EQ(CapsMajor(path_).value_or(0), 237);
  Write("195 nvidia\n");
  EXPECT_FALSE(CapsMajor(path_));
}

}  // namespace
}  // namespace gp
