#pragma once

// A real SupervisedAttemptRunner in a directory of its own, and the waiting that tests need.
// Whatever still runs at the end is killed.  Time limits here only end a test that hangs.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/outbound/process/supervised_attempt_runner.h"

namespace gp {

// The host gives nothing: what the runner can do by itself.
class NoIsolation final : public DeviceIsolation {
 public:
  Result<CgroupPaths> Create(const std::string&, const IsolationRequest&) override {
    if (refusal.has_value()) return Fail(*refusal);
    return CgroupPaths{};
  }
  Status Remove(const std::string&, const CgroupPaths&) override { return Ok(); }
  const IsolationReport& Report() const override { return report_; }

  std::optional<Error> refusal;

 private:
  IsolationReport report_;
};

inline pid_t ParentOf(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

class RunnerHarness {
 public:
  static constexpr int kHangMs = 20'000;

  explicit RunnerHarness(DeviceIsolation& isolation) : isolation_(isolation) {
    // Not below /tmp: attempts have a private one.
    char path[] = "/var/tmp/gp-test-XXXXXX";
    directory_ = mkdtemp(path);
    chmod(path, 0755);
    Open();
  }
  ~RunnerHarness() {
    if (runner == nullptr) Open();
    for (const AttemptStatus& status : runner->Observe()) runner->Stop(status.key, Duration{});
    for (const AttemptStatus& status : runner->Observe()) {
      AwaitEnd(status.key);
      EXPECT_TRUE(runner->Forget(status.key).has_value());
    }
    AwaitNothingLeft();
    runner.reset();
    std::filesystem::remove_all(directory_);
  }

  void Open() {
    runner.reset();
    auto opened = SupervisedAttemptRunner::Open({.state_directory = state(), .supervisor_path = {}},
                                                isolation_);
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    runner = std::move(*opened);
  }

  std::string directory() const { return directory_; }
  std::string state() const { return directory_ + "/state"; }

  LaunchSpec Program(const std::string& key, std::vector<std::string> argv) const {
    LaunchSpec spec;
    spec.key = key;
    spec.argv = std::move(argv);
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.working_directory = "/";
    spec.uid = geteuid();
    spec.gid = getegid();
    spec.log_directory = directory_ + "/logs/" + key;
    spec.log_name = "0";
    return spec;
  }
  LaunchSpec Shell(const std::string& key, const std::string& script) const {
    return Program(key, {"/bin/sh", "-c", script});
  }

  void Start(const LaunchSpec& spec) {
    const Status started = runner->Start(spec);
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }
  AttemptStatus Run(const LaunchSpec& spec) {
    Start(spec);
    return AwaitEnd(spec.key);
  }

  AttemptStatus Status_(const std::string& key) {
    for (AttemptStatus& status : runner->Observe()) {
      if (status.key == key) return std::move(status);
    }
    return {};
  }
  AttemptStatus Await(const std::string& key,
                      const std::function<bool(const AttemptStatus&)>& wanted) {
    const int64_t give_up = NowMs() + kHangMs;
    AttemptStatus status = Status_(key);
    while (!wanted(status)) {
      if (NowMs() > give_up) {
        ADD_FAILURE() << key << " hangs: " << status.message;
        return status;
      }
      Poll(200);
      status = Status_(key);
    }
    return status;
  }
  AttemptStatus AwaitEnd(const std::string& key) {
    return Await(key, [](const AttemptStatus& s) { return s.phase == AttemptPhase::kExited; });
  }
  AttemptStatus AwaitRunning(const std::string& key) {
    return Await(key, [](const AttemptStatus& s) { return s.phase != AttemptPhase::kStarting; });
  }
  // Until the job wrote this.
  void AwaitOutput(const std::string& key, const std::string& text) {
    const int64_t give_up = NowMs() + kHangMs;
    while (Output(key).find(text) == std::string::npos) {
      ASSERT_LT(NowMs(), give_up) << key << " never wrote '" << text << "': " << Output(key);
      usleep(2000);
    }
  }

  // Until the directories of all forgotten attempts are gone.
  void AwaitNothingLeft() {
    const int64_t give_up = NowMs() + kHangMs;
    while (!std::filesystem::is_empty(state() + "/attempts")) {
      ASSERT_LT(NowMs(), give_up) << "attempts are left in " << state();
      Poll(50);
      runner->Observe();
    }
  }

  std::string Output(const std::string& key) const { return Log(key, ".out"); }
  std::string Errors(const std::string& key) const { return Log(key, ".err"); }
  std::string LogPath(const std::string& key, const std::string& ending) const {
    return directory_ + "/logs/" + key + "/0" + ending;
  }

  // True: something happened.
  bool Poll(int timeout_ms) {
    pollfd event = {.fd = runner->EventDescriptor(), .events = POLLIN, .revents = 0};
    return poll(&event, 1, timeout_ms) > 0;
  }

  static int64_t BootNs() { return Now(CLOCK_BOOTTIME); }

  std::unique_ptr<SupervisedAttemptRunner> runner;

 private:
  static int64_t Now(clockid_t clock) {
    timespec now = {};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  }
  static int64_t NowMs() { return Now(CLOCK_MONOTONIC) / 1'000'000; }
  std::string Log(const std::string& key, const std::string& ending) const {
    std::ifstream file(LogPath(key, ending), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  DeviceIsolation& isolation_;
  std::string directory_;
};

// Reads a descriptor to its end and closes it.
inline std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(fd, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(count));
  }
  close(fd);
  return text;
}

}  // namespace gp
