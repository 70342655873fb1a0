#pragma once

// What follows from a change, said before it is made.  Pure functions over the data on the screen.

#include <string>

#include "cmd/watch/watch_views.h"

namespace gp {

// The job on the screen; null: it is not there.
const v1::Job* FindJob(const WatchData& data, const std::string& id);

// "cancel job-12 (train) of ana: 8 GPUs on 2 nodes stop now"
std::string CancelQuestion(const WatchData& data, const std::string& id);
std::string HoldQuestion(const WatchData& data, const std::string& id);
std::string ReleaseQuestion(const WatchData& data, const std::string& id);
// `place`: the name of a node, or "node/3" of a GPU.
std::string DrainQuestion(const WatchData& data, const std::string& place);
std::string OnlineQuestion(const std::string& place);

// Whether the place is out of service or drains, so that it can be returned to service.
bool IsOutOfService(const WatchData& data, const std::string& place);

}  // namespace gp
