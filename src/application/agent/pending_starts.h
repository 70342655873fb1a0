#pragma once

#include <map>
#include <string>
#include <vector>

#include "ports/outbound/attempt_runner.h"

namespace gp {

// Attempts that a runner has accepted but not started yet, because they wait for something, and
// attempts that ended while they waited.  For runners that wrap another runner.
class PendingStarts {
 public:
  bool Knows(const std::string& key) const {
    return waiting_.contains(key) || ended_.contains(key);
  }
  bool Waits(const std::string& key) const { return waiting_.contains(key); }
  bool IsEmpty() const { return waiting_.empty() && ended_.empty(); }
  const std::map<std::string, LaunchSpec>& waiting() const { return waiting_; }
  std::vector<LaunchSpec> Waiting() const;  // a copy, to iterate over while some of them leave

  void Add(const LaunchSpec& spec) { waiting_[spec.key] = spec; }
  // The attempt's launch, to change it while it waits.  REQUIRES: Waits.
  LaunchSpec& WaitingLaunch(const std::string& key) { return waiting_.at(key); }
  void Leave(const std::string& key) { waiting_.erase(key); }  // it is started
  // The attempt ended without having run.
  void GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message);
  // The attempt ended well: it only had to be staged.
  void Complete(const LaunchSpec& spec) { GiveUp(spec, EndCause::kExit, ""); }
  // Removes an attempt that was given up and returns why; nullopt: it was not given up.
  std::optional<std::string> TakeFailure(const std::string& key);

  // The same as AttemptRunner's; false: the attempt is not pending.
  bool Renew(const std::string& key, int64_t lease_deadline_boot_ns);
  bool Stop(const std::string& key);
  bool Forget(const std::string& key) { return ended_.erase(key) > 0; }
  void AppendTo(std::vector<AttemptStatus>& statuses) const;

 private:
  std::map<std::string, LaunchSpec> waiting_;
  std::map<std::string, AttemptStatus> ended_;
};

}  // namespace gp
