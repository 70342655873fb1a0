#pragma once

// Output of jobs that ended long ago makes room.

#include <functional>
#include <set>
#include <string>

#include "base/time.h"
#include "domain/model/ids.h"

namespace gp {

// Removes the directories of jobs below `directory` to which nothing was written since then, but for those of jobs that are
// here: asked again right before each.  How many were removed.
int RemoveOldLogs(const std::string& directory, Instant since, const std::function<bool(JobId)>& is_here);

}  // namespace gp
