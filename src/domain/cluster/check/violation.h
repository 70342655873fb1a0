#pragma once

#include <string>

namespace gp {

// A rule that a state breaks.
struct Violation {
  std::string rule;  // "I1" …, "index" or "shape"
  std::string detail;
};

}  // namespace gp
