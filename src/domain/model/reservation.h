#pragma once

// Advance reservations: nodes that are set aside for some users for a time: a course, a deadline,
// maintenance.

#include <cstddef>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/queue.h"

namespace gp {

inline constexpr size_t kReservationsMax = 1'000;
inline constexpr size_t kReservationNamesMax = 256;  // users, or queues
inline constexpr size_t kReservationNoteMax = 256;
inline constexpr Duration kReservationTimeMax = Duration::Minutes(60 * 24 * 3650);

struct Reservation {
  std::string name;
  std::string pool = kDefaultPool;
  std::vector<NodeId> nodes;  // in order of id
  // Instants; they move when the wall clock is stepped, because the calendar's times count
  Instant starts_at;
  Instant ends_at;
  // Jobs of these users, and jobs in these queues or below, may name it; both empty: no job may.
  std::vector<std::string> users;
  std::vector<std::string> queues;
  std::string note;
  // For nobody: jobs that still run there are stopped before it starts
  bool maintenance = false;
  // A step of the wall clock has moved it: jobs that were placed before may still run there at its
  // start.
  bool is_moved = false;
  bool operator==(const Reservation&) const = default;
};
GP_FIELDS(Reservation, v.name, v.pool, v.nodes, v.starts_at, v.ends_at, v.users, v.queues, v.note,
          v.maintenance, Since<17>(v.is_moved))

// Whether a job of this user in this queue may name it.
bool Admits(const Reservation& reservation, const std::string& user, const std::string& queue);

// kInvalidArgument: the message says which field is wrong and what is allowed. Does not check nodes
// and other reservations.
Status ValidateReservation(const Reservation& reservation, Instant now);

}  // namespace gp
