#pragma once

// Nodes that are set aside for some users from one moment to another: a course, a deadline,
// maintenance.

#include <cstddef>
#include <string>
#include <vector>

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
  std::vector<NodeId> nodes;  // in order
  // Instants, which a step of the wall clock changes: it is for the calendar's times
  Instant starts_at;
  Instant ends_at;
  // Whose jobs may name it: these users', and those of these queues or queues below; both empty:
  // nobody's.
  std::vector<std::string> users;
  std::vector<std::string> queues;
  std::string note;
  // nobody's; whoever still runs there when it begins is told to leave in time
  bool maintenance = false;
  // A step of the wall clock has moved it since jobs were placed: those may still be on its nodes
  // when it begins.
  bool is_moved = false;
  bool operator==(const Reservation&) const = default;
};

// Whether somebody's job in this queue may name it.
bool Admits(const Reservation& reservation, const std::string& user, const std::string& queue);

// kInvalidArgument names the field and what it may be.  Nodes and other reservations are not looked
// at.
Status ValidateReservation(const Reservation& reservation, Instant now);

}  // namespace gp
