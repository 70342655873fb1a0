#include "adapters/inbound/job_import/gpu_names.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kDigits = "0123456789";

std::vector<std::string> WordsOf(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '_' || c == ' ') c = '-';
  }
  return Split(upper, '-');
}

// "80GB": digits, and these letters behind them.
bool IsAmount(std::string_view word, std::string_view unit) {
  if (!word.ends_with(unit) || word.size() == unit.size()) return false;
  return word.substr(0, word.size() - unit.size()).find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

std::string ModelWord(std::string_view name) {
  for (const std::string& word : WordsOf(name)) {
    if (word.find_first_of(kDigits) != std::string::npos) return word;
  }
  return std::string(name);
}

std::optional<std::string> MemoryOfName(std::string_view name) {
  for (const std::string& word : WordsOf(name)) {
    if (IsAmount(word, "GB")) return word;
  }
  return std::nullopt;
}

std::optional<std::string> MemoryOfInstance(std::string_view name) {
  const size_t dot = name.find("g.");
  if (dot == std::string_view::npos || dot == 0 || name.substr(0, dot).find_first_not_of(kDigits) != std::string_view::npos) return std::nullopt;
  const std::string_view memory = name.substr(dot + 2);
  if (!IsAmount(memory, "gb")) return std::nullopt;
  return std::string(memory.substr(0, memory.size() - 2)) + "GB";
}

}  // namespace gp
