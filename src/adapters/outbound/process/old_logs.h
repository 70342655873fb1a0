#pragma once

// Output of jobs that ended long ago makes room.  How long nothing was written, the boot clock
// tells.  The times of files are the wall clock's, which people and daemons step: a change of them
// says that something was written, and nothing else.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "domain/model/ids.h"
#include "ports/outbound/clock.h"

namespace gp {

class OldLogs {
 public:
  // Jobs have directories of their own below `directory`.  `record`: the file that says since when
  // each is as it is, over restarts; without it all of them count from now.  The clock outlives it.
  OldLogs(std::string directory, std::string record, Clock& clock);

  // Removes what has not changed for so long, or longer, between two calls of this; but nothing of
  // jobs that are here: asked again right before each.  Time in which the machine was off does not
  // count.  How many were removed.  One caller at a time.
  int Remove(Duration keep, const std::function<bool(JobId)>& is_here);

 private:
  struct Unchanged {
    uint64_t fingerprint = 0;
    Duration since;  // elapsed time at which it was first seen so
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
