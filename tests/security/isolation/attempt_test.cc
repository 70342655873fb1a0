// What an attempt sees of the host, beside devices: its own /tmp, its limits, its hooks.

#include <sys/stat.h>

#include <fstream>

#include "tests/security/isolation/isolated_host.h"

namespace gp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AttemptTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GP_SKIP_UNLESS_ROOT();
    host_ = std::make_unique<IsolatedHost>();
  }
  RunnerHarness& harness() { return *host_->harness; }
  std::string Script(const std::string& name, const std::string& text) {
    const std::string path = harness().directory() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  std::unique_ptr<IsolatedHost> host_;
};

TEST_F(AttemptTest, TmpIsItsOwnAndGoesWithIt) {
  const std::string left = "/tmp/left-by-" + std::to_string(getpid());
  const std::string script = "ls -A /tmp; echo x > " + left + "; stat -c %a /tmp";
  EXPECT_EQ(harness().Run(host_->Shell("one", script)).exit_code, 0);
  EXPECT_EQ(harness().Output("one"), "1777\n");
  EXPECT_FALSE(std::filesystem::exists(left));
  harness().Run(host_->Shell("two", "ls -A /tmp"));
  EXPECT_EQ(harness().Output("two"), "");
}

TEST_F(AttemptTest, TmpIsTheHostsWhereAskedFor) {
  const std::string name = "/tmp/gp-test-" + std::to_string(getpid());
  LaunchSpec spec = host_->Shell("shared", "echo x > " + name);
  spec.private_tmp = false;
  harness().Run(spec);
  EXPECT_EQ(unlink(name.c_str()), 0);
}

// One of root's too, which could else read the environment of any other job of root's, and end it.
TEST_F(AttemptTest, SeesItsOwnProcessesAlone) {
  for (const uint32_t user : {kJobUid, uint32_t{0}}) {
    const std::string id = std::to_string(user);
    harness().Start(host_->As(user, harness().Shell("other-" + id, "echo begun; exec sleep 1000")));
    const std::string other = std::to_string(harness().AwaitRunning("other-" + id).pid);
    const AttemptStatus status = harness().Run(
        host_->As(user, harness().Shell("alone-" + id, "ls -d /proc/[0-9]*; kill -0 " + other +
                                                           " && echo reached; cat /proc/" + other +
                                                           "/environ && echo read; true")));
    EXPECT_EQ(status.exit_code, 0) << status.message;
    EXPECT_EQ(harness().Output("alone-" + id), "/proc/1\n/proc/2\n");
    EXPECT_EQ(harness().Status_("other-" + id).phase, AttemptPhase::kRunning);
  }
}

TEST_F(AttemptTest, ExecSeesTheSameProcesses) {
  harness().Start(host_->Shell("main", "echo ready; exec sleep 1000.5"));
  harness().AwaitOutput("main", "ready");
  ExecSpec command;
  command.argv = {"sh", "-c",
                  "until grep -q ^sleep /proc/2/cmdline; do sleep 0.01; done; "
                  "tr '\\0' ' ' < /proc/2/cmdline; kill 2"};
  const auto streams = harness().runner->Exec("main", command);
  ASSERT_TRUE(streams.has_value()) << streams.error().message;
  EXPECT_EQ(ReadAll(streams->output), "sleep 1000.5 ");
  EXPECT_EQ(harness().AwaitEnd("main").signal, SIGTERM);
}

// Its first process is ours: none of its own can end it, and orphans do not pile up under it.
TEST_F(AttemptTest, ItsFirstProcessIsOursAndTakesOrphansAway) {
  const AttemptStatus status = harness().Run(
      host_->As(0, harness().Shell("orphans",
                                   "kill -KILL 1; (sh -c 'exit 0' & ) ; sleep 0.3; ls -d "
                                   "/proc/[0-9]*; cat /proc/1/environ | wc -c; ls /proc/1/fd")));
  EXPECT_EQ(status.exit_code == 0 ? 0 : status.signal, 0) << status.message;
  EXPECT_EQ(harness().Output("orphans").find("/proc/1\n/proc/2\n"), 0u)
      << harness().Output("orphans");
  EXPECT_EQ(harness().Output("orphans").find("/proc/3"), std::string::npos)
      << harness().Output("orphans");
}

// The supervisor gets no SIGCHLD of theirs; the stop still ends with the last of them, not with the
// grace.
TEST_F(AttemptTest, AStopEndsWithTheLastOfTheGroup) {
  harness().Start(host_->Shell("group",
                               "(trap 'sleep 0.2; echo saved; exit' TERM; echo ready; while :; do "
                               "sleep 0.05; done) & trap 'exit' TERM; wait"));
  harness().AwaitOutput("group", "ready");
  harness().runner->Stop("group", Duration::Minutes(5));  // longer than anybody waits here
  harness().AwaitEnd("group");
  EXPECT_THAT(harness().Output("group"), HasSubstr("saved"));
}

TEST_F(AttemptTest, SharedMemoryOfSystemVIsItsOwn) {
  const auto segments = [&](const std::string& key) {
    harness().Run(host_->Shell(key, "ipcs -m | grep -c 0x; true"));
    return harness().Output(key);
  };
  harness().Start(
      host_->Shell("holder", "ipcmk -M 4096 > /dev/null; ipcs -m | grep -c 0x; exec sleep 1000"));
  harness().AwaitOutput("holder", "\n");
  EXPECT_EQ(harness().Output("holder"), "1\n");
  EXPECT_EQ(segments("looker"), "0\n");
}

// A network namespace of its own, which hooks and other jobs do not share.
TEST_F(AttemptTest, ReachesOnlyItselfWithoutNetwork) {
  const std::string hook = harness().directory() + "/hook";
  std::ofstream(hook) << "#!/bin/sh\nreadlink /proc/self/ns/net\n";
  ASSERT_EQ(chmod(hook.c_str(), 0755), 0);
  const std::string script =
      "ls /proc/sys/net/ipv4/conf; grep -c : /proc/1/net/dev; exec python3 -c '\n"
      "import socket\n"
      "server = socket.create_server((\"127.0.0.1\", 0))\n"
      "socket.create_connection(server.getsockname()).close()\n"
      "print(\"itself\")\n"
      "probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
      "print(probe.connect_ex((\"192.0.2.1\", 9)))\n'";
  LaunchSpec spec = host_->Shell("job", script);
  spec.private_network = true;
  spec.prolog = spec.epilog = hook;
  const AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.exit_code, 0) << status.message << harness().Errors("job");
  EXPECT_EQ(harness().Output("job"),
            "all\ndefault\nlo\n1\nitself\n" + std::to_string(ENETUNREACH) + "\n");
  const std::string of_host = std::filesystem::read_symlink("/proc/self/ns/net");
  EXPECT_EQ(harness().Errors("job"), of_host + "\n" + of_host + "\n") << "of both hooks";
  harness().Run(host_->Shell("other", "readlink /proc/self/ns/net"));
  EXPECT_EQ(harness().Output("other"), of_host + "\n");
}

TEST_F(AttemptTest, IsRefusedCallsOfTheHostsAdministrator) {
  harness().Run(host_->As(
      0, harness().Shell("filtered", "grep ^Seccomp: /proc/self/status; dmesg 2>&1 | head -1")));
  EXPECT_THAT(harness().Output("filtered"), HasSubstr("Seccomp:\t2\n"));
  EXPECT_THAT(harness().Output("filtered"), HasSubstr("Operation not permitted"));
}

TEST_F(AttemptTest, SharesTheHostsProcessesWhereAskedFor) {
  LaunchSpec spec =
      host_->Shell("open", "test -d /proc/" + std::to_string(getpid()) + " && echo seen");
  spec.private_processes = false;
  harness().Run(spec);
  EXPECT_EQ(harness().Output("open"), "seen\n");
}

TEST_F(AttemptTest, ExecSharesTheAttemptsView) {
  LaunchSpec spec = host_->Shell("job", "echo mine > /tmp/file; echo ready; sleep 1000");
  spec.devices = {{195, 0}};
  harness().Start(spec);
  harness().AwaitOutput("job", "ready");
  ExecSpec command;
  command.argv = {"sh", "-c",
                  "id -u; cat /tmp/file; exec " + host_->program() + " --try " +
                      host_->Node("gpu0") + " " + host_->Node("gpu1")};
  const auto streams = harness().runner->Exec("job", command);
  ASSERT_TRUE(streams.has_value()) << streams.error().message;
  EXPECT_EQ(ReadAll(streams->output), std::to_string(kJobUid) + "\nmine\nENXIO " +
                                          host_->Node("gpu0") + "\nEPERM " + host_->Node("gpu1") +
                                          "\n");
}

TEST_F(AttemptTest, LosesEveryPrivilege) {
  harness().Run(host_->Shell("status",
                             "grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs)' /proc/self/status; "
                             "ulimit -c; cat /proc/self/oom_score_adj"));
  const std::string status = harness().Output("status");
  const std::string id = std::to_string(kJobUid);
  EXPECT_THAT(status, HasSubstr("Uid:\t" + id + "\t" + id + "\t" + id + "\t" + id));
  EXPECT_THAT(status, HasSubstr("Groups:\t \n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(status, HasSubstr(std::string(set) + ":\t0000000000000000"));
  }
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
  EXPECT_TRUE(status.ends_with("\n0\n0\n")) << status;
}

TEST_F(AttemptTest, EvenRootCannotLeaveItsCgroups) {
  const LaunchSpec spec = host_->As(
      0, harness().Shell("root",
                         "mount -o remount,rw /sys/fs/cgroup && echo remounted; "
                         "for f in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); "
                         "do echo 0 > $f && echo left to $f; done; echo tried"));
  harness().Run(spec);
  EXPECT_EQ(harness().Output("root"), "tried\n");
  EXPECT_THAT(harness().Errors("root"), HasSubstr("Read-only file system"));
}

TEST_F(AttemptTest, GroupsAreThoseGiven) {
  LaunchSpec spec = host_->Shell("groups", "id -G");
  spec.groups = {61007, 61008};
  harness().Run(spec);
  EXPECT_EQ(harness().Output("groups"), std::to_string(kJobUid) + " 61007 61008\n");
}

TEST_F(AttemptTest, CpusAreThoseGiven) {
  LaunchSpec spec = host_->Shell("cpus", "nproc");
  spec.cpus = CpuSet::Parse("0").value();
  harness().Run(spec);
  EXPECT_EQ(harness().Output("cpus"), "1\n");

  LaunchSpec absent = host_->Shell("absent", "nproc");
  absent.cpus = CpuSet::Parse("4000").value();
  const AttemptStatus status = harness().Run(absent);
  EXPECT_EQ(status.cause, EndCause::kPlatformFault);
  EXPECT_THAT(status.message, HasSubstr("cpuset.cpus"));
}

TEST_F(AttemptTest, AJobThatGetsAllCpusHasThemWithoutACpusetOfItsOwn) {
  const int64_t count = sysconf(_SC_NPROCESSORS_ONLN);
  LaunchSpec spec = host_->Shell("all-cpus", "nproc; grep cpuset: /proc/self/cgroup");
  for (int cpu = 0; cpu < count; ++cpu) spec.cpus.Add(cpu);
  harness().Run(spec);
  EXPECT_THAT(harness().Output("all-cpus"), StartsWith(std::to_string(count) + "\n"));
  EXPECT_THAT(harness().Output("all-cpus"), Not(HasSubstr("/all-cpus")));
}

TEST_F(AttemptTest, HooksRunAsRootOnTheHostsSide) {
  const std::string mark = "/tmp/gp-test-hook-" + std::to_string(getpid());
  LaunchSpec spec = host_->Shell("hooked", "cat " + mark + "; true");
  spec.prolog = Script("prolog", "id -u; echo x > " + mark);
  spec.epilog = Script("epilog", "cat " + mark + "; rm " + mark);
  spec.devices = {};
  EXPECT_EQ(harness().Run(spec).message, "");
  EXPECT_THAT(harness().Errors("hooked"), ::testing::StartsWith("0\ncat: "));
  EXPECT_THAT(harness().Errors("hooked"), ::testing::EndsWith("\nx\n"));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(AttemptTest, ADaemonOfThePrologOutlivesTheJob) {
  LaunchSpec spec = host_->Shell("daemon", "sleep 0.1; exit 3");
  spec.prolog = Script("prolog", "setsid sleep 1000 >/dev/null 2>&1 & echo $!");
  EXPECT_EQ(harness().Run(spec).exit_code, 3);
  EXPECT_EQ(kill(std::stoi(harness().Errors("daemon")), SIGKILL), 0);
}

}  // namespace
}  // namespace gp
