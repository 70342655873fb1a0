#pragma once

// Text on a terminal, measured in columns of the current locale.  A locale without UTF-8 gets ASCII
// characters in place of bars, dashes and arrows.

#include <string>
#include <string_view>
#include <vector>

namespace gp {

bool TerminalHasUtf8();
// Columns of the terminal at standard output; 0: unknown, as for a pipe or a file.
int WidthOfTerminal();
// Whether standard output shows colours: a terminal that is not dumb, without NO_COLOR.
// CLICOLOR_FORCE colours pipes too.
bool OutputHasColors();
int TextWidth(std::string_view text);
// The longest prefix of the text that fits into `width` columns.
std::string BeginOfText(std::string_view text, int width);
// The text in exactly `width` columns: shortened with "…", or padded.
std::string FitText(const std::string& text, int width, bool right = false);
// The text in lines of at most `width` columns, broken at blanks where a line has some; `indent`:
// blanks before all lines but the first.  REQUIRES: 0 <= indent < width.
std::vector<std::string> FoldText(const std::string& text, int width, int indent = 0);
// A bar of exactly `width` columns, `fill` of it (0 to 1) full.
std::string BarText(double fill, int width);
// A bar of one column, with eight heights.
std::string HeightText(double fill);
// The text with characters that the locale cannot show replaced.
std::string ForLocale(const std::string& text);

}  // namespace gp
