// Every node × every mechanism × root and ordinary user: what is granted reaches its driver (there
// is none: ENXIO), everything else is refused (EPERM).

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <tuple>

#include "tests/security/isolation/isolated_host.h"

namespace gp {
namespace {

constexpr HierarchyKind kMatrixHosts[] = {{"Bpf", Mechanism::kBpf, true},
                                          {"LegacyBesideUnified", Mechanism::kLegacy, true},
                                          {"LegacyAlone", Mechanism::kLegacy, false}};

class MatrixTest : public ::testing::TestWithParam<std::tuple<HierarchyKind, uint32_t>> {
 protected:
  void SetUp() override {
    GP_SKIP_UNLESS_ROOT();
    CgroupIsolation::Options options;
    options.devices = std::get<0>(GetParam()).devices;
    options.use_unified = std::get<0>(GetParam()).use_unified;
    options.devices_required = false;
    host_ = std::make_unique<IsolatedHost>(options);
    if (!host_->isolation->Report().devices) {
      host_.reset();
      GTEST_SKIP() << "this kernel or mount layout does not offer " << std::get<0>(GetParam()).name;
    }
  }
  uint32_t uid() const { return std::get<1>(GetParam()); }

  // Runs `attempt` inside fresh cgroups with these devices, with all capabilities left: what the
  // device rules hold alone.  Returns its exit code.
  int Inside(const std::vector<DeviceNumber>& devices, const std::function<int()>& attempt) {
    const std::string key = "raw-" + std::to_string(++raw_);
    const auto paths = host_->isolation->Create(key, {.devices = devices,
                                                      .cpus = {},
                                                      .memory_nodes = {},
                                                      .memory_bytes_max = 0,
                                                      .processes_max = 0});
    EXPECT_TRUE(paths.has_value()) << paths.error().message;
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> directories = paths->joined;
      if (!paths->unified.empty()) directories.push_back(paths->unified);
      for (const std::string& directory : directories) {
        const int procs = open((directory + "/cgroup.procs").c_str(), O_WRONLY);
        if (write(procs, "0", 1) != 1) _exit(254);
      }
      if (uid() != 0 && setresuid(uid(), uid(), uid()) != 0) _exit(253);
      _exit(attempt());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(host_->isolation->Remove(key, *paths).has_value());
    return WEXITSTATUS(status);
  }
  static int OpenErrno(const std::string& path) {
    return open(path.c_str(), O_RDWR | O_CLOEXEC) >= 0 ? 0 : errno;
  }
  static const char* Name(int error) { return error == 0 ? "ok" : strerrorname_np(error); }

  std::unique_ptr<IsolatedHost> host_;
  int raw_ = 0;
};

TEST_P(MatrixTest, RulesAlone) {
  const std::vector<DeviceNumber> granted = {{195, 0}, {195, 255}, {511, 0}};
  const std::pair<const char*, int> expected[] = {
      {"gpu0", ENXIO}, {"ctl", ENXIO},  {"uvm", ENXIO},   {"null", 0},
      {"gpu1", EPERM}, {"gpu2", EPERM}, {"gpu16", EPERM}, {"cap", EPERM},
      {"mem", EPERM},  {"kmsg", EPERM}, {"fuse", EPERM},  {"disk", EPERM}};
  for (const auto& [name, error] : expected) {
    const int got = Inside(granted, [&] { return OpenErrno(host_->Node(name)); });
    EXPECT_EQ(got, error) << name << ": " << Name(got);
  }
}

TEST_P(MatrixTest, NothingGrantedMeansNoGpu) {
  for (const char* name : {"gpu0", "gpu1", "ctl", "uvm"}) {
    EXPECT_EQ(Inside({}, [&] { return OpenErrno(host_->Node(name)); }), EPERM) << name;
  }
}

TEST_P(MatrixTest, MknodIsRefusedEvenForGrantedDevices) {
  const std::string path = host_->nodes() + "/open/made";
  const int got = Inside({{195, 0}}, [&] {
    return mknod(path.c_str(), S_IFCHR | 0666, makedev(195, 0)) == 0 ? 0 : errno;
  });
  EXPECT_EQ(got, EPERM) << Name(got);
}

TEST_P(MatrixTest, SetsOfDevicesDoNotMix) {
  const std::vector<std::vector<DeviceNumber>> sets = {
      {{195, 0}}, {{195, 1}}, {{195, 0}, {195, 1}}};
  for (int round = 0; round < 2; ++round) {  // the second time from the cache
    for (const auto& granted : sets) {
      for (const int gpu : {0, 1, 2}) {
        const bool allowed = std::ranges::find(granted, DeviceNumber{195, gpu}) != granted.end();
        const int got =
            Inside(granted, [&] { return OpenErrno(host_->Node("gpu" + std::to_string(gpu))); });
        EXPECT_EQ(got, allowed ? ENXIO : EPERM) << gpu << ": " << Name(got);
      }
    }
  }
}

// As a job: the same through the runner, and through everything a job loses besides.
TEST_P(MatrixTest, InARealAttempt) {
  LaunchSpec spec = host_->As(
      uid(), host_->harness->Program(
                 "job", {host_->program(), "--try", host_->Node("gpu0"), host_->Node("ctl"),
                         host_->Node("null"), host_->Node("gpu1"), host_->Node("gpu16"),
                         host_->Node("uvm"), host_->Node("disk"), "/dev/tty", "/dev/urandom"}));
  spec.devices = {{195, 0}, {195, 255}};
  const AttemptStatus status = host_->harness->Run(spec);
  EXPECT_EQ(status.exit_code, 0) << status.message;
  const std::string d = host_->nodes();
  EXPECT_EQ(host_->harness->Output("job"), "ENXIO " + d + "/gpu0\nENXIO " + d + "/ctl\nok " + d +
                                               "/null\nEPERM " + d + "/gpu1\nEPERM " + d +
                                               "/gpu16\nEPERM " + d + "/uvm\nEPERM " + d +
                                               "/disk\nENXIO /dev/tty\nok /dev/urandom\n");
}

TEST_P(MatrixTest, RulesOutliveTheAgent) {
  const std::string fifo = host_->harness->directory() + "/go";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0666), 0);
  chmod(fifo.c_str(), 0666);
  LaunchSpec spec =
      host_->As(uid(), host_->harness->Shell(
                           "job", "echo ready; read x < " + fifo + "; " + host_->program() +
                                      " --try " + host_->Node("gpu0") + " " + host_->Node("gpu1")));
  spec.devices = {{195, 0}};
  host_->harness->runner.reset();
  const pid_t agent = fork();
  if (agent == 0) {
    // Everything of its own: programs are closed and sockets gone with this process.
    auto isolation = CgroupIsolation::Open(host_->options());
    auto runner = SupervisedAttemptRunner::Open(
        {.state_directory = host_->harness->state(), .supervisor_path = {}}, **isolation);
    (void)(*runner)->Start(spec);
    pause();
  }
  host_->harness->AwaitOutput("job", "ready");
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  std::ofstream(fifo) << "x\n";
  host_->harness->Open();
  EXPECT_EQ(host_->harness->AwaitEnd("job").exit_code, 0);
  EXPECT_EQ(host_->harness->Output("job"),
            "ready\nENXIO " + host_->Node("gpu0") + "\nEPERM " + host_->Node("gpu1") + "\n");
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<HierarchyKind, uint32_t>>& info) {
  const bool as_root = std::get<1>(info.param) == 0;
  return std::get<0>(info.param).name + std::string(as_root ? "AsRoot" : "AsUser");
}

INSTANTIATE_TEST_SUITE_P(Hosts, MatrixTest,
                         ::testing::Combine(::testing::ValuesIn(kMatrixHosts),
                                            ::testing::Values(0u, kJobUid)),
                         NameOf);

}  // namespace
}  // namespace gp
