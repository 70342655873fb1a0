#pragma once

#include <fmt/format.h>

#include <string>

namespace gp {

// Two decimals, of hours or money. A value that rounds to zero has no sign.
inline std::string Hundredths(double value) {
  std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

}  // namespace gp
