// The escape program inside a real attempt: not one case may succeed.  And outside, to see that the
// cases would notice.

#include <grp.h>
#include <signal.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <sstream>

#include "tests/security/isolation/isolated_host.h"

namespace gp {
namespace {

constexpr HierarchyKind kEscapeHosts[] = {{"Bpf", Mechanism::kBpf, true},
                                          {"LegacyAlone", Mechanism::kLegacy, false}};
constexpr int kCasesMin = 100;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// cap_sys_admin, cap_mknod and cap_dac_override, permitted and effective, as `setcap` writes them.
void GiveCapabilities(const std::string& path) {
  const uint32_t attribute[5] = {0x02000001, 1u << 21 | 1u << 27 | 1u << 1, 0, 0, 0};
  ASSERT_EQ(setxattr(path.c_str(), "security.capability", attribute, sizeof attribute, 0), 0);
}

class EscapeTest : public ::testing::TestWithParam<HierarchyKind> {
 protected:
  void SetUp() override {
    GP_SKIP_UNLESS_ROOT();
    CgroupIsolation::Options options;
    options.devices = GetParam().devices;
    options.use_unified = GetParam().use_unified;
    options.devices_required = false;
    host_ = std::make_unique<IsolatedHost>(options);
    if (!host_->isolation->Report().devices) {
      host_.reset();
      GTEST_SKIP() << "this kernel or mount layout does not offer " << GetParam().name;
    }
    GiveCapabilities(host_->Node("capable-helper"));
  }
  std::unique_ptr<IsolatedHost> host_;
};

TEST_P(EscapeTest, NoneSucceeds) {
  RunnerHarness& harness = *host_->harness;
  harness.Start(host_->As(kOtherUid, harness.Shell("victim", "sleep 1000")));
  const int victim = harness.AwaitRunning("victim").pid;

  LaunchSpec spec = host_->As(kJobUid, harness.Program("escape", {host_->program()}));
  spec.environment = {"ESCAPE_NODES=" + host_->nodes(), "ESCAPE_STATE=" + harness.state(),
                      "ESCAPE_KEY=escape", "ESCAPE_VICTIM=" + std::to_string(victim)};
  spec.devices = {{195, 0}, {195, 255}};
  spec.cpus = CpuSet::Parse("0").value();
  spec.memory_bytes_max = 1 << 28;
  spec.processes_max = 64;
  spec.shm_bytes = 1 << 20;
  const AttemptStatus status = harness.Run(spec);
  EXPECT_EQ(status.exit_code, 0) << status.message << harness.Errors("escape");

  const std::vector<std::string> lines = Lines(harness.Output("escape"));
  EXPECT_GE(lines.size(), kCasesMin);
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.starts_with("held ")) << line;
  }
  EXPECT_EQ(harness.Status_("victim").phase, AttemptPhase::kRunning);
  EXPECT_THAT(IsolatedHost::Processes(kJobUid), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Hosts, EscapeTest, ::testing::ValuesIn(kEscapeHosts),
                         [](const auto& test) { return test.param.name; });

// The same program as the same user, only not inside an attempt.
TEST(EscapeControlTest, ManySucceedWithoutIsolation) {
  GP_SKIP_UNLESS_ROOT();
  IsolatedHost host;
  GiveCapabilities(host.Node("capable-helper"));
  const std::string output = host.harness->directory() + "/control";
  const pid_t child = fork();
  if (child == 0) {
    (void)!freopen(output.c_str(), "w", stdout);
    setenv("ESCAPE_NODES", host.nodes().c_str(), 1);
    setenv("ESCAPE_STATE", host.harness->state().c_str(), 1);
    setenv("ESCAPE_KEY", "none", 1);
    setenv("ESCAPE_VICTIM", "1", 1);
    setgroups(0, nullptr);
    if (setresgid(kJobUid, kJobUid, kJobUid) != 0 || setresuid(kJobUid, kJobUid, kJobUid) != 0) {
      _exit(1);
    }
    execl(host.program().c_str(), "escape", nullptr);
    _exit(1);
  }
  waitpid(child, nullptr, 0);
  std::ifstream file(output);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const char* name :
       {"open for reading and writing", "open by io_uring worker", "open in a daemon",
        "open in a sibling (CLONE_PARENT)", "symbolic link to the node", "setuid program",
        "program with capabilities", "reopen O_PATH by /proc/self/fd",
        "GPU of another simulated node", "run on all CPUs"}) {
    EXPECT_THAT(text, ::testing::HasSubstr("ESCAPED " + std::string(name)));
  }
  // The kernel itself gives none in a chroot.
  if (text.find("user namespaces refused") != std::string::npos) return;
  EXPECT_THAT(text, ::testing::HasSubstr("ESCAPED user namespace, bind mount of the nodes"));
}

}  // namespace
}  // namespace gp
