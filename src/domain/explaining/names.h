#pragma once

#include <string>
#include <vector>

#include "domain/model/ids.h"

namespace gp {

// "job-1, job-2 and 40 more": names the first few.
std::string Names(const std::vector<JobId>& jobs);

}  // namespace gp
