#include "cmd/text/prefixed_lines.h"

#include <utility>

namespace gp {

std::string PrefixedLines::Take(std::string_view bytes) {
  std::string lines;
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    lines += prefix_ + std::exchange(begun_, "") + std::string(bytes.substr(0, end + 1));
    bytes.remove_prefix(end + 1);
  }
  begun_ += bytes;
  return lines;
}

std::string PrefixedLines::Rest() {
  return begun_.empty() ? "" : prefix_ + std::exchange(begun_, "") + "\n";
}

}  // namespace gp
