#include "infrastructure/terminal_text.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace gp {
namespace {

constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::array<const char*, 8> kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kPlain{{{"°C", "C"},
                                                                                {"–", "-"},
                                                                                {"°", "C"},
                                                                                {"…", "~"},
                                                                                {"·", "|"},
                                                                                {"▲", "^"},
                                                                                {"▼", "v"},
                                                                                {"×", "x"},
                                                                                {"—", "-"},
                                                                                {"●", "*"},
                                                                                {"█", "#"},
                                                                                {"│", "|"},
                                                                                {"├─", "|-"},
                                                                                {"└─", "`-"}}};

size_t BytesOfCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t bytes = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return std::min(bytes, text.size());
}

int WidthOfCharacter(std::string_view character) {
  if (character.size() == 1) return 1;
  wchar_t wide = 0;
  std::mbstate_t state{};
  const size_t bytes = std::mbrtowc(&wide, character.data(), character.size(), &state);
  if (bytes == static_cast<size_t>(-1) || bytes == static_cast<size_t>(-2)) return 1;
  return std::max(wcwidth(wide), 0);
}

}  // namespace

std::string BeginOfText(std::string_view text, int width) {
  std::string begin;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, BytesOfCharacter(text));
    width -= WidthOfCharacter(character);
    if (width < 0) break;
    begin += character;
    text.remove_prefix(character.size());
  }
  return begin;
}

int WidthOfTerminal() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool OutputHasColors() {
  if (std::getenv("NO_COLOR") != nullptr) return false;
  const char* forced = std::getenv("CLICOLOR_FORCE");
  if (forced != nullptr && std::string_view(forced) != "0") return true;
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !is_dumb;
}

bool TerminalHasUtf8() {
  static const bool has = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  return has;
}

int TextWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const size_t bytes = BytesOfCharacter(text);
    width += WidthOfCharacter(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return width;
}

std::string FitText(const std::string& text, int width, bool right) {
  if (width <= 0) return "";
  std::string fitted = text;
  if (TextWidth(fitted) > width) fitted = BeginOfText(fitted, width - 1) + "…";
  const std::string blanks(static_cast<size_t>(std::max(width - TextWidth(fitted), 0)), ' ');
  return right ? blanks + fitted : fitted + blanks;
}

std::string BarText(double fill, int width) {
  const bool fine = TerminalHasUtf8();
  const double cells = std::clamp(fill, 0.0, 1.0) * width;
  const int full = static_cast<int>(cells);
  std::string bar;
  for (int i = 0; i < full; ++i) bar += fine ? "█" : "#";
  int shown = full;
  const auto eighths = static_cast<size_t>(std::lround((cells - full) * 7));
  if (fine && shown < width && eighths > 0) {
    bar += kEighths[eighths];
    ++shown;
  }
  return bar + std::string(static_cast<size_t>(width - shown), fine ? ' ' : '.');
}

std::string HeightText(double fill) {
  const auto step = static_cast<size_t>(std::lround(std::clamp(fill, 0.0, 1.0) * 7));
  return TerminalHasUtf8() ? kHeights[step] : std::string(1, "_.,:-=+#"[step]);
}

std::string ForLocale(const std::string& text) {
  if (TerminalHasUtf8()) return text;
  std::string plain;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t bytes = BytesOfCharacter(rest);
    const auto known =
        std::ranges::find_if(kPlain, [&](const auto& p) { return rest.starts_with(p.first); });
    if (known != kPlain.end()) {
      plain += known->second;
      rest.remove_prefix(known->first.size());
    } else {
      plain += bytes == 1 && static_cast<unsigned char>(rest.front()) < 0x80
                   ? std::string(1, rest.front())
                   : "?";
      rest.remove_prefix(bytes);
    }
  }
  return plain;
}

std::vector<std::string> FoldText(const std::string& text, int width, int indent) {
  const std::string margin(static_cast<size_t>(indent), ' ');
  std::vector<std::string> lines;
  std::string rest = text;
  while (TextWidth(rest) > width) {
    const std::string begin = BeginOfText(rest, width);
    if (begin.size() <= margin.size()) break;  // a character is wider than the line
    const size_t blank = rest[begin.size()] == ' ' ? begin.size() : begin.rfind(' ');
    // A word that begins far to the left is broken itself: little of the line would be used.
    const bool at_blank =
        blank != std::string::npos && blank > std::max(begin.size() / 2, margin.size());
    lines.push_back(at_blank ? rest.substr(0, blank) : begin);
    rest = margin + rest.substr(at_blank ? blank + 1 : begin.size());
  }
  lines.push_back(std::move(rest));
  return lines;
}

}  // namespace gp
