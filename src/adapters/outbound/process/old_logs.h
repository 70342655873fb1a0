#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "domain/model/ids.h"
#include "ports/outbound/clock.h"

namespace gp {

// Removes the output of jobs that ended long ago.  The boot clock measures how long nothing was
// written.  The times of files come from the wall clock, which people and daemons step: a change of
// them shows only that something was written.
class OldLogs {
 public:
  // `directory` has one subdirectory for each job.  `record`: the file that keeps, across restarts,
  // since when each is unchanged; without it all count from now.  The clock must outlive this
  // object.
  OldLogs(std::string directory, std::string record, Clock& clock);

  // Removes directories that did not change for `keep` or longer between two calls, except those of
  // jobs for which `is_here` holds, which is checked again right before each removal.  Time in
  // which the machine was off does not count.  Returns the number removed.  One caller at a time.
  int Remove(Duration keep, const std::function<bool(JobId)>& is_here);

 private:
  struct Unchanged {
    uint64_t fingerprint = 0;
    Duration since;  // elapsed time at which it was first seen unchanged
  };

  void ReadRecord();
  void KeepRecord() const;
  Duration Elapsed() const { return {before_boot_.ns + clock_.BootNs()}; }
  Unchanged Look(JobId job) const;

  const std::string directory_;
  const std::string record_;
  Clock& clock_;
  Duration before_boot_;  // elapsed time = boot clock + this; it never passes faster than true time
  std::map<JobId, Unchanged> jobs_;
};

}  // namespace gp
