#pragma once

#include <span>
#include <vector>

#include "ports/inbound/control_gateway.h"

namespace gp {

// The records behind record `after`, each with its events, as observers receive them.
inline CommittedRecords Committed(uint64_t after, std::span<const std::vector<Event>> records) {
  CommittedRecords committed{.after = after};
  for (const std::vector<Event>& events : records) {
    committed.events.insert(committed.events.end(), events.begin(), events.end());
    committed.ends.push_back(committed.events.size());
  }
  return committed;
}

}  // namespace gp
