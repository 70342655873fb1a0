#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/descriptor.h"
#include "supervisor/records/attempt_record.h"

namespace gp {

// <state>/attempts/<key>: the files of one attempt, and the lock on `launch` that its running
// supervisor holds.  Only the holder of the lock may start a supervisor there.
class AttemptDirectory {
 public:
  // kConflict: it exists.
  static Result<AttemptDirectory> Make(int attempts_fd, const std::string& key);
  static Result<AttemptDirectory> Open(int attempts_fd, const std::string& key);

  int fd() const { return directory_.get(); }
  // Writes `launch` and returns it locked.
  Result<Descriptor> WriteLaunch(const LaunchRecord& record);
  Result<LaunchRecord> ReadLaunch() const;
  // nullopt: none yet, or unreadable.
  std::optional<AttemptStatus> ReadStatus() const;
  // The locked launch file; nullopt: a supervisor is running.
  std::optional<Descriptor> TryLock() const;
  // Whether a supervisor holds the lock: then the attempt has not ended, whatever else is known.
  bool IsHeld() const;
  // A connection to the running supervisor; nullopt: it does not listen (yet).
  std::optional<Descriptor> Connect() const;

 private:
  Descriptor directory_;
};

// Removes the directory of an attempt with all that is in it.  Best effort.
void RemoveAttempt(int attempts_fd, const std::string& key);

// The keys of all attempts, sorted.
std::vector<std::string> ListAttempts(int attempts_fd);

}  // namespace gp
