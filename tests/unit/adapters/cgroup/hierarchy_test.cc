#include "adapters/outbound/cgroup/hierarchy.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(HierarchyTest, PureVersion2UnderSystemd) {
  const CgroupHierarchy h = ParseHierarchy(
      "29 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
      "30 22 0:27 / /proc rw shared:5 - proc proc rw\n",
      "0::/system.slice/gpu-platform-agent.service\n");
  EXPECT_EQ(h.unified, "/sys/fs/cgroup/system.slice/gpu-platform-agent.service");
  EXPECT_FALSE(h.unified_is_root);
  EXPECT_TRUE(h.legacy.empty());
}

TEST(HierarchyTest, BothVersionsSideBySide) {
  const CgroupHierarchy h = ParseHierarchy(
      "34 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "35 31 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "36 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
      "37 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
      "4:memory:/a/b\n2:cpu,cpuacct:/\n1:name=systemd:/x\n0::/\n");
  EXPECT_EQ(h.unified, "/sys/fs/cgroup/unified");
  EXPECT_TRUE(h.unified_is_root);
  EXPECT_EQ(h.legacy.at("memory"), "/sys/fs/cgroup/memory/a/b");
  EXPECT_EQ(h.legacy.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(h.legacy.at("cpuacct"), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_FALSE(h.legacy.contains("pids"));
}

TEST(HierarchyTest, InsideAContainerOnlyItsPartIsMounted) {
  const CgroupHierarchy h = ParseHierarchy(
      "35 31 0:33 /docker/1a /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "36 31 0:34 /docker/1a /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n",
      "4:pids:/docker/1a\n3:devices:/elsewhere\n");
  EXPECT_EQ(h.legacy.at("pids"), "/sys/fs/cgroup/pids");
  EXPECT_FALSE(h.legacy.contains("devices"));
}

TEST(HierarchyTest, UnescapesAndSkipsWhatItDoesNotUnderstand) {
  const CgroupHierarchy h = ParseHierarchy(
      "1 2 0:1 / /mnt/a\\040b rw - cgroup2 cgroup2 rw\n\nnonsense\n9 9 9 / /x rw -\n",
      "0::/j\nnonsense\n");
  EXPECT_EQ(h.unified, "/mnt/a b/j");
  EXPECT_TRUE(ParseHierarchy("", "").unified.empty());
}

TEST(HierarchyTest, JobsOfAServiceLieBesideIt) {
  const std::string slice = "/sys/fs/cgroup/system.slice";
  EXPECT_EQ(ParentOfAgentRoot(slice + "/a.service"), slice);
  EXPECT_EQ(ParentOfAgentRoot(slice + "/a.service/agent"), slice);
  EXPECT_EQ(ParentOfAgentRoot(slice + "/a.scope/agent"), slice + "/a.scope");
  EXPECT_EQ(ParentOfAgentRoot(slice + "/a.service/b"), slice + "/a.service/b");
  // What is at the top is no slice: the kernel's root has processes that no one can move.
  EXPECT_EQ(ParentOfAgentRoot("/sys/fs/cgroup/a.service"), "/sys/fs/cgroup/a.service");
  EXPECT_EQ(ParentOfAgentRoot("/sys/fs/cgroup"), "/sys/fs/cgroup");
}

}  // namespace
}  // namespace gp
