#include "domain/model/time_line.h"

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

bool IsATime(Instant at) { return at.ns != 0 && at != kNever; }

}  // namespace

Instant WallOf(const TimeLine& line, Instant at) { return IsATime(at) ? at + line.wall : at; }

Instant InstantOf(const TimeLine& line, Instant wall) {
  return IsATime(wall) ? wall - line.wall : wall;
}

}  // namespace gp
