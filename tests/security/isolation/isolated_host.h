#pragma once

// A runner with real cgroups of its own name, and a directory of GPU nodes without drivers behind
// them: opening one that is allowed answers ENXIO, one that is not EPERM.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/outbound/cgroup/cgroup_isolation.h"
#include "tests/support/runner_harness.h"

namespace gp {

using Mechanism = CgroupIsolation::DeviceMechanism;

// Which cgroups a host has, and what keeps devices there.
struct HierarchyKind {
  const char* name;
  Mechanism devices;
  bool use_unified;
};

// Users that nobody else has: tests count their processes, and may run twice at a time.
inline const uint32_t kJobUid = 1'000'000 + 2 * static_cast<uint32_t>(getpid());
inline const uint32_t kOtherUid = kJobUid + 1;

// Why these tests cannot run here; empty: they can.
inline std::string CannotIsolate() {
  return geteuid() == 0 ? "" : "needs root: cgroups and device nodes cannot be made otherwise";
}

// Loud where it matters: a CI run as an ordinary user would prove nothing.
#define GP_SKIP_UNLESS_ROOT()                                  \
  if (const std::string why = CannotIsolate(); !why.empty()) { \
    if (std::getenv("CI") != nullptr) FAIL() << why;           \
    GTEST_SKIP() << why;                                       \
  }

class IsolatedHost {
 public:
  explicit IsolatedHost(CgroupIsolation::Options options = {}) {
    static int count = 0;
    options.name = "gp-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
    options_ = options;
    auto opened = CgroupIsolation::Open(options);
    EXPECT_TRUE(opened.has_value());
    isolation = std::move(*opened);
    harness = std::make_unique<RunnerHarness>(*isolation);
    MakeNodes();
  }
  ~IsolatedHost() {
    harness.reset();
    for (const std::string& base : isolation->Bases()) {
      EXPECT_EQ(rmdir(base.c_str()), 0) << base << " still holds cgroups";
    }
  }

  const CgroupIsolation::Options& options() const { return options_; }
  std::string nodes() const { return harness->directory() + "/nodes"; }
  std::string Node(const std::string& name) const { return nodes() + "/" + name; }
  // The escape program, out of reach of the private /tmp.
  std::string program() const { return nodes() + "/escape"; }

  LaunchSpec As(uint32_t uid, LaunchSpec spec) const {
    spec.uid = spec.gid = uid;
    return spec;
  }
  LaunchSpec Shell(const std::string& key, const std::string& script) const {
    return As(kJobUid, harness->Shell(key, script));
  }
  // "pid state (name)" of every process of this user that lives now.
  static std::vector<std::string> Processes(uint32_t uid) {
    std::vector<std::string> processes;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      struct stat facts;
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (stat(entry.path().c_str(), &facts) != 0 || facts.st_uid != uid) continue;
      std::ifstream file(entry.path() / "stat");
      std::string line;
      std::getline(file, line);
      processes.push_back(line.substr(0, line.find(')') + 3));
    }
    return processes;
  }

  std::unique_ptr<CgroupIsolation> isolation;
  std::unique_ptr<RunnerHarness> harness;

 private:
  void MakeNode(const std::string& name, mode_t type, int major_number, int minor_number) {
    const std::string path = Node(name);
    ASSERT_EQ(mknod(path.c_str(), type | 0666, makedev(major_number, minor_number)), 0) << path;
    ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  }
  void MakeNodes() {
    namespace fs = std::filesystem;
    fs::create_directory(nodes());
    fs::create_directory(nodes() + "/open");
    chmod((nodes() + "/open").c_str(), 01777);
    for (const int gpu : {0, 1, 2, 16}) MakeNode("gpu" + std::to_string(gpu), S_IFCHR, 195, gpu);
    MakeNode("ctl", S_IFCHR, 195, 255);
    MakeNode("uvm", S_IFCHR, 511, 0);
    MakeNode("cap", S_IFCHR, 510, 3);
    MakeNode("null", S_IFCHR, 1, 3);
    MakeNode("mem", S_IFCHR, 1, 1);
    MakeNode("kmsg", S_IFCHR, 1, 11);
    MakeNode("fuse", S_IFCHR, 10, 229);
    MakeNode("disk", S_IFBLK, 254, 0);
    const std::string built = GP_BINARY_DIR "/bin/gp_escape";
    for (const char* name : {"escape", "setuid-helper", "capable-helper"}) {
      fs::copy_file(built, Node(name));
      chmod(Node(name).c_str(), 0755);
    }
    chmod(Node("setuid-helper").c_str(), 04755);
  }

  CgroupIsolation::Options options_;
};

}  // namespace gp
