#pragma once

// How far a receiver's notifications have been put into its outbox: what came after it, while the controller died, is
// found again in the state.  A small file.

#include <deque>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

struct Told {
  Instant until;                // all that happened before
  std::deque<std::string> ids;  // the newest notifications that can be found again

  static constexpr size_t kIdsMax = 1'000;

  bool Has(const std::string& id) const;
  void Add(const std::string& id);
};

// kNotFound: there is none yet.
Result<Told> ReadTold(const std::string& path);
Status KeepTold(const std::string& path, const Told& told);

// What a state still knows to have happened from then on: jobs that ended, incidents that were opened.  In order.
std::vector<std::pair<Instant, Event>> HappenedSince(const State& state, Instant since);

}  // namespace gp
