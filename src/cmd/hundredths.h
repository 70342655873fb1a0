#pragma once

#include <fmt/format.h>

#include <string>

namespace gp {

// Two decimals, of hours or money.  What is nothing but for rounding has no sign.
inline std::string Hundredths(double value) {
  std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

}  // namespace gp
