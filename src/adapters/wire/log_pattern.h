#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// kInvalidArgument: not a regular expression of RE2, and what is wrong with it.
Status CheckLogPattern(const std::string& pattern);

}  // namespace gp
