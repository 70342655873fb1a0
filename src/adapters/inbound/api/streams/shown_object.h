#pragma once

#include <cstdint>
#include <string>

#include "adapters/inbound/api/streams/touched_objects.h"
#include "domain/cluster/state/state.h"

namespace gp {

// What watchers see of an object that changed.
struct ShownObject {
  FeedKind kind = FeedKind::kJob;
  uint64_t id = 0;
  std::string name;        // "job-7"; empty: the object was never seen
  const char* state = "";  // a constant, as lists show it; empty: removed
  std::string queue;       // of a job
  User user;               // of a job
};

// Shows the object, whose kind and id, or name, are given, as the state has it.  Of an object that
// is gone the rest stays, so that those who could see it learn that it is gone.
void Show(const State& state, ShownObject& shown);

}  // namespace gp
