#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/process/attempt_directory.h"
#include "adapters/outbound/process/supervisor_fork_server.h"
#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/device_isolation.h"
#include "supervisor/records/control_message.h"

namespace gp {

// AttemptRunner with one supervisor process per attempt (docs/isolation.md).  This class keeps a
// connection to each supervisor and remembers what it reports.  Everything that must survive is in
// the supervisors and in <state_directory>/attempts, so destroying this object ends no attempt.
// The agent's thread makes all calls.
class SupervisedAttemptRunner final : public AttemptRunner {
 public:
  struct Options {
    std::string state_directory;  // made if absent; holds attempts/ and bin/
    std::string supervisor_path;  // empty: the one embedded in this program
  };
  // Finds the attempts of an earlier run again.  `isolation` must outlive the runner.
  // Errors: kConflict (another runner uses the directory), kInternal (the directory cannot be made,
  // or the supervisor cannot be written there).
  static Result<std::unique_ptr<SupervisedAttemptRunner>> Open(const Options& options,
                                                               DeviceIsolation& isolation);
  ~SupervisedAttemptRunner() override;

  Status Start(const LaunchSpec& spec) override;
  void Renew(const std::string& key, int64_t lease_deadline_boot_ns) override;
  void Stop(const std::string& key, Duration grace) override;
  void Discard(const std::string& key, const std::string& directory,
               const std::vector<std::string>& paths) override;
  std::vector<AttemptStatus> Observe() override;
  HostUse Used(const std::string& key) override;
  Status Forget(const std::string& key) override;
  bool IsEmpty() override;
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec& spec) override;
  int EventDescriptor() const override { return events_.get(); }

 private:
  struct Attempt {
    AttemptStatus status;
    CgroupPaths cgroups;
    bool leased = false;     // Renew applies
    bool forgotten = false;  // removed once its supervisor has exited
    int burials = 0;
    pid_t supervisor = 0;
    Descriptor connection;  // invalid: no supervisor runs, or it does not answer yet
    std::vector<ReceivedMessage> answers;
  };

  SupervisedAttemptRunner(DeviceIsolation& isolation) : isolation_(isolation) {}
  Status Prepare(const Options& options);

  // runner_start.cc
  Attempt& Remember(const LaunchSpec& spec);
  // Returns the error.
  Status UndoStart(const std::string& key, const Error& error);
  Status SuperviseNew(Attempt& attempt, const AttemptDirectory& directory, int lock_fd,
                      const std::vector<std::string>& secrets);
  Status Supervise(Attempt& attempt, const AttemptDirectory& directory, int lock_fd, bool bury,
                   int secrets_fd = -1);
  Status StartFailed(Attempt& attempt, const AttemptDirectory& directory, const Error& error);
  void Adopt(const std::string& key);
  void Attend(Attempt& attempt);
  // REQUIRES: the launch file is locked, so that no supervisor runs.
  void TakeEndOrBury(Attempt& attempt, const AttemptDirectory& directory, int lock_fd);
  bool Connect(Attempt& attempt, const AttemptDirectory& directory);
  void Bury(Attempt& attempt, const AttemptDirectory& directory, int lock_fd);
  void Watch(Attempt& attempt, Descriptor connection);
  void Unwatch(Attempt& attempt);

  Attempt* Find(const std::string& key);
  void TakeEvents();
  void TakeMessages(Attempt& attempt);
  void TakeStatus(Attempt& attempt, AttemptStatus status);
  void OnSupervisorGone(Attempt& attempt);
  void Send(Attempt& attempt, const ControlMessage& message);
  Result<ReceivedMessage> AwaitAnswer(Attempt& attempt, uint64_t id);

  DeviceIsolation& isolation_;
  SupervisorForkServer fork_server_;
  Descriptor attempts_fd_;
  Descriptor events_;
  uint64_t execs_ = 0;
  // Nodes stay in place: events point at them until Unwatch
  std::map<std::string, Attempt> attempts_;
};

}  // namespace gp
