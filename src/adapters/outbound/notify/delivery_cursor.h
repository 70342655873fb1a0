#pragma once

// How far a receiver's notifications have been put into its outbox: what came after it, while the
// controller died, is found again in the state.  A small file.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

struct DeliveryCursor {
  std::string wish;  // what the receiver wanted then: of another wish nothing was told
  // By the state's time: all that can be found again and happened before
  Instant until;
  struct Id {
    Instant at;
    std::string text;
  };
  std::deque<Id> ids;  // the newest of them

  // Many may happen at one instant; what is older than this is found no more.
  static constexpr Duration kIdsFor = Duration::Seconds(10);
  static constexpr size_t kIdsMax = 10'000;

  bool Has(const std::string& id) const;
  void Add(const std::string& id, Instant at);
};

// kNotFound: there is none yet.  kInternal: it is damaged.
Result<DeliveryCursor> ReadDeliveryCursor(const std::string& path);
// Lasts.
Status SaveDeliveryCursor(const std::string& path, const DeliveryCursor& cursor);

// What a state still knows to have happened: jobs that ended, incidents that were opened.
struct Happened {
  Instant at;
  Event event;
};
// From then on, in order.
std::vector<Happened> HappenedSince(const State& state, Instant since);
// When this happened, by the state's time; nullopt: it is nothing that HappenedSince finds.
std::optional<Instant> WhenHappened(const State& state, const Event& event);

}  // namespace gp
