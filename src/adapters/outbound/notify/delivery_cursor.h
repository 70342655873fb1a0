#pragma once

// How far a receiver's notifications have been put into its outbox.  What happened later, while the
// controller was down, is found again in the state.  A small file.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

struct DeliveryCursor {
  std::string wish;  // filter of the receiver then; nothing was sent for another filter
  // By the state's time: everything recoverable that happened earlier is queued
  Instant until;
  struct Id {
    Instant at;
    std::string text;
  };
  std::deque<Id> ids;  // newest ones

  // Many events may have one instant; events older than this cannot be found again.
  static constexpr Duration kIdsFor = Duration::Seconds(10);
  static constexpr size_t kIdsMax = 10'000;

  bool Has(const std::string& id) const;
  void Add(const std::string& id, Instant at);
};

// kNotFound: there is no cursor yet. kInternal: it is damaged.
Result<DeliveryCursor> ReadDeliveryCursor(const std::string& path);
// The cursor is on disk when this returns.
Status SaveDeliveryCursor(const std::string& path, const DeliveryCursor& cursor);

// An event that can still be found in the state: a job that ended, an incident that was opened.
struct Happened {
  Instant at;
  Event event;
};
// Events from `since` on, in order.
std::vector<Happened> HappenedSince(const State& state, Instant since);
// When this event happened, by the state's time; nullopt: HappenedSince does not find such events.
std::optional<Instant> WhenHappened(const State& state, const Event& event);

}  // namespace gp
