#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// kInvalidArgument: not a regular expression of RE2; the message says why.
Status CheckLogPattern(const std::string& pattern);

}  // namespace gp
