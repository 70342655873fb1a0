#pragma once

// Attempts that a runner was told to start and has not started yet, because they wait for
// something; and those that ended so.  For runners around runners.

#include <map>
#include <string>
#include <vector>

#include "ports/outbound/attempt_runner.h"

namespace gp {

class PendingStarts {
 public:
  bool Knows(const std::string& key) const {
    return waiting_.contains(key) || ended_.contains(key);
  }
  bool Waits(const std::string& key) const { return waiting_.contains(key); }
  bool IsEmpty() const { return waiting_.empty() && ended_.empty(); }
  const std::map<std::string, LaunchSpec>& waiting() const { return waiting_; }
  std::vector<LaunchSpec> Waiting() const;  // a copy, to walk while some of them leave

  void Add(const LaunchSpec& spec) { waiting_[spec.key] = spec; }
  void Leave(const std::string& key) { waiting_.erase(key); }  // it is started
  // It ended without having run.
  void GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message);
  // Why it ended so, which is told once and never again; nullopt: it did not.
  std::optional<std::string> TakeFailure(const std::string& key);

  // The same as AttemptRunner's; false: it is none of these.
  bool Renew(const std::string& key, int64_t lease_deadline_boot_ns);
  bool Stop(const std::string& key);
  bool Forget(const std::string& key) { return ended_.erase(key) > 0; }
  void AppendTo(std::vector<AttemptStatus>& statuses) const;

 private:
  std::map<std::string, LaunchSpec> waiting_;
  std::map<std::string, AttemptStatus> ended_;
};

}  // namespace gp
