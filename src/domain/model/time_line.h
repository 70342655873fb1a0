#pragma once

// What the state's instants follow.  They count elapsed time, of the controller's boot clock, and
// never go back; the wall clock, which people and daemons step, is known by its distance from them
// and serves people and calendars alone. docs/adr/0048-instants-count-elapsed-time.md

#include <string>

#include "base/time.h"

namespace gp {

struct TimeLine {
  // Of the controller's machine, which one: its boot clock goes on where this is the same
  std::string boot;
  Duration before_boot;  // instant = boot clock + before_boot
  Duration wall;         // wall clock = instant + wall; whole milliseconds
  bool operator==(const TimeLine&) const = default;
};

// For people and calendars.  Instants that mean "never" stay what they are.
Instant WallOf(const TimeLine& line, Instant at);
// Of a time of the calendar.
Instant InstantOf(const TimeLine& line, Instant wall);

}  // namespace gp
