#pragma once

// Text as a terminal shows it: columns instead of bytes, by the locale in force.  A locale without
// UTF-8 gets plain letters in place of bars, dashes and arrows.

#include <string>
#include <string_view>

namespace gp {

bool TerminalHasUtf8();
int TextWidth(std::string_view text);
// Exactly `width` columns: cut with "…", or padded.
std::string FitText(const std::string& text, int width, bool right = false);
// A bar of exactly `width` columns, `fill` of it (0 to 1) full.
std::string BarText(double fill, int width);
// One column: eight heights.
std::string HeightText(double fill);
// With what the locale cannot show replaced by what it can.
std::string ForLocale(const std::string& text);

}  // namespace gp
