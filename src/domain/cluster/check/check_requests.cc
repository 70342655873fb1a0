#include "domain/cluster/check/invariant_parts.h"

namespace gp {

void CheckRequests(const State& state, Violations& found) {
  const RequestStore& requests = state.requests;
  if (requests.answered.size() > kRequestsMax)
    found.push_back({"bound", "more answered requests are remembered than there may be"});
  if (requests.answered.size() != requests.by_time.size())
    found.push_back({"index", "index of answered requests has entries that do not belong there"});
  for (const auto& [key, request] : requests.answered) {
    if (!requests.by_time.contains({request.at, key}))
      found.push_back({"index", "the time of request " + key + " is not kept"});
  }
}

}  // namespace gp
