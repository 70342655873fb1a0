#pragma once

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "ports/outbound/attempt_runner.h"

namespace gp {

// The runner below, played: attempts do what the test says, and a daemon answers what the test has
// it answer.
class PlayedRunner : public AttemptRunner {
 public:
  Status Start(const LaunchSpec& spec) override {
    if (is_refusing) return Fail(Internal("cannot start"));
    launches.push_back(spec);
    AttemptStatus& status = attempts[spec.key];
    status.key = spec.key;
    status.phase = AttemptPhase::kRunning;
    status.launch = std::make_shared<const LaunchSpec>(spec);
    return Ok();
  }
  void Renew(const std::string&, int64_t) override {}
  void Discard(const std::string&, const std::string&, const std::vector<std::string>&) override {}
  void Stop(const std::string& key, Duration) override { stops.push_back(key); }
  std::vector<AttemptStatus> Observe() override {
    std::vector<AttemptStatus> all;
    for (const auto& [key, status] : attempts) all.push_back(status);
    return all;
  }
  Status Forget(const std::string& key) override {
    attempts.erase(key);
    return Ok();
  }
  bool IsEmpty() override { return attempts.empty(); }
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec&) override {
    if (!attempts.contains(key) || attempts[key].phase != AttemptPhase::kRunning)
      return Fail(Conflict("not running"));
    int input[2];
    int output[2];
    int exit_status[2];
    if (pipe(input) != 0 || pipe(output) != 0 || pipe(exit_status) != 0)
      return Fail(Internal("no pipes"));
    commands = input[0];
    fcntl(commands, F_SETFL, O_NONBLOCK);
    const int32_t code = exit_code;
    (void)!write(output[1], answer.data(), answer.size());
    if (!is_silent) (void)!write(exit_status[1], &code, sizeof code);
    close(output[1]);
    if (!is_silent) close(exit_status[1]);
    return ExecStreams{input[1], output[0], -1, exit_status[0]};
  }
  int EventDescriptor() const override { return event_fd_; }

  // The last commands that the control program received.
  std::string TakeCommands() {
    char buffer[4'096];
    const ssize_t got = read(commands, buffer, sizeof buffer);
    return got > 0 ? std::string(buffer, static_cast<size_t>(got)) : "";
  }
  void End(const std::string& key, EndCause cause, int code) {
    attempts[key].phase = AttemptPhase::kExited;
    attempts[key].cause = cause;
    attempts[key].exit_code = code;
  }

  std::vector<LaunchSpec> launches;
  std::map<std::string, AttemptStatus> attempts;
  std::vector<std::string> stops;
  std::string answer = "4711\n";
  int32_t exit_code = 0;
  bool is_silent = false;
  bool is_refusing = false;  // starts fail
  int commands = -1;

 private:
  int event_fd_ = eventfd(0, EFD_CLOEXEC);
};

}  // namespace gp
