#pragma once

// The time line of the state's instants. They count elapsed time by the controller's boot clock and
// never go back. The wall clock, which people and daemons step, is known by its offset from them;
// it is for people and calendars only. docs/adr/0048-instants-count-elapsed-time.md

#include <string>

#include "base/fields.h"
#include "base/time.h"

namespace gp {

struct TimeLine {
  // Identifies the boot of the controller's machine: while it stays the same, the boot clock goes
  // on
  std::string boot;
  Duration before_boot;  // instant = boot clock + before_boot
  Duration wall;         // wall clock = instant + wall; whole milliseconds
  bool operator==(const TimeLine&) const = default;
};
GP_FIELDS(TimeLine, v.boot, v.before_boot, v.wall)

// The wall clock time, for people and calendars. Instants that mean "never" stay as they are.
Instant WallOf(const TimeLine& line, Instant at);
// The instant of a calendar time.
Instant InstantOf(const TimeLine& line, Instant wall);

}  // namespace gp
