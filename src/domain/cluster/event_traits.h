#pragma once

// What the system does when an event is committed, by its row in event.h.  An event whose trait
// promises what its reader does not do does not compile.

#include <variant>

#include "domain/cluster/event.h"

namespace gp {

enum EventTrait : unsigned {
  kNoTrait = 0,
  // A pending job may start or preempt because of it, so the next batch begins with planning.
  kWakesPlanner = 1,
  // The desired state of a node differs: the node is sent the new one (domain/node).
  kChangesDesiredState = 2,
  // Grants, tokens or node certificates differ: the doors read them again (adapters/inbound/api).
  kChangesAccess = 4,
  // It is a line of the event log, from which notifications and traces are made (adapters/wire).
  kLogged = 8,
};

// The traits in the event's row.
template <typename E>
inline constexpr unsigned kTraitsOf = [] {
  static_assert(sizeof(E) == 0, "this is no event: it has no row in event.h");
  return kNoTrait;
}();

#define GP_TRAITS(Name, traits, ...) \
  template <>                        \
  inline constexpr unsigned kTraitsOf<Name> = (traits);
GP_EVENTS(GP_TRAITS)
#undef GP_TRAITS

inline bool Has(const Event& event, EventTrait trait) {
  return std::visit([trait]<typename E>(const E&) { return (kTraitsOf<E> & trait) != 0; }, event);
}

}  // namespace gp
