#pragma once

// The reservations of nodes.

#include <map>
#include <set>
#include <string>
#include <utility>

#include "domain/model/reservation.h"

namespace gp {

// `ends` follows from `all`.
struct ReservationStore {
  std::map<std::string, Reservation> all;  // by name
  std::set<std::pair<Instant, std::string>> ends;
};

}  // namespace gp
