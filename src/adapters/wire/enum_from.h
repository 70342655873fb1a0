#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Proto enums are open: a message may contain any number.
template <typename To>
Result<To> EnumFrom(int value, To last, const char* field) {
  if (value >= 0 && value <= static_cast<int>(last)) return static_cast<To>(value);
  return Fail(
      InvalidArgument(std::string(field) + ": " + std::to_string(value) + " is no value of it"));
}

}  // namespace gp
