#pragma once

#include "domain/model/job.h"

namespace gp {

// Whether two jobs fit in the same places: what one cannot get now, the other cannot either.
bool SameShape(const Job& a, const Job& b);

}  // namespace gp
