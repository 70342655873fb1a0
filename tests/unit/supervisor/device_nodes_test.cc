#include "supervisor/image/device_nodes.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

TEST(DeviceNodesTest, ThoseOfTheDevicesAreFoundWhereDriversPutThem) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: device files cannot be made otherwise";
  const Scratch scratch;
  std::filesystem::create_directories(scratch.In("nvidia-caps"));
  std::filesystem::create_directories(scratch.In("other"));
  const auto make = [&](const char* name, mode_t type, unsigned major, unsigned minor) {
    ASSERT_EQ(mknod(scratch.In(name).c_str(), type | 0600, makedev(major, minor)), 0) << name;
  };
  make("nvidia1", S_IFCHR, 195, 1);
  make("nvidia0", S_IFCHR, 195, 0);
  make("nvidia2", S_IFCHR, 195, 2);
  make("nvidia-caps/nvidia-cap3", S_IFCHR, 510, 3);
  make("disk", S_IFBLK, 195, 0);
  make("other/nvidia0", S_IFCHR, 195, 0);
  std::filesystem::create_symlink("nvidia0", scratch.In("link"));
  EXPECT_EQ(FindDeviceNodes(scratch.path(), {{195, 0}, {195, 1}, {510, 3}}),
            (std::vector<DeviceNode>{{scratch.In("nvidia-caps/nvidia-cap3"), {510, 3}, 0600},
                                     {scratch.In("nvidia0"), {195, 0}, 0600},
                                     {scratch.In("nvidia1"), {195, 1}, 0600}}));
  EXPECT_TRUE(FindDeviceNodes(scratch.path(), {}).empty());
  EXPECT_TRUE(FindDeviceNodes(scratch.In("nowhere"), {{195, 0}}).empty());
}

}  // namespace
}  // namespace gp
