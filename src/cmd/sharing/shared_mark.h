#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// The mark of a state directory whose controller shares its log, and the cluster's name in it. Were
// such a controller started as the only one, or did it begin a log in another store, two would
// decide for one cluster, with the same numbers.
struct SharedMark {
  bool is_there = false;
  std::string cluster;  // empty: it was made from a backup, and has not followed any log yet
};
Result<SharedMark> ReadSharedMark(const std::string& state_directory);
Status MarkShared(const std::string& state_directory, const std::string& cluster);
// A controller may begin a log from this directory again, or be the only one.
Status Unmark(const std::string& state_directory);
// kConflict: the mark names another cluster.
Status CheckCluster(const std::string& state_directory, const SharedMark& mark,
                    const std::string& cluster);
// kConflict: the state directory is that of one of several controllers, with the fix.
Status CheckNotShared(const std::string& state_directory);

}  // namespace gp
