#include "domain/model/nodes/gpu_model.h"

namespace gp {
namespace {

enum class Sort { kSeparator, kLetter, kDigit };

Sort SortOf(char c) {
  if (c >= '0' && c <= '9') return Sort::kDigit;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? Sort::kLetter : Sort::kSeparator;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether the position is inside a word or a number.
bool IsWithin(std::string_view name, size_t at) {
  return at > 0 && at < name.size() && SortOf(name[at]) != Sort::kSeparator &&
         SortOf(name[at - 1]) == SortOf(name[at]);
}

bool StandsAt(std::string_view asked, std::string_view name, size_t at) {
  for (const char c : asked) {
    if (SortOf(c) == Sort::kSeparator) continue;
    while (at < name.size() && SortOf(name[at]) == Sort::kSeparator) ++at;
    if (at == name.size() || Lower(name[at]) != Lower(c)) return false;
    ++at;
  }
  return !IsWithin(name, at);
}

}  // namespace

bool NamesModel(std::string_view asked, std::string_view name) {
  for (size_t at = 0; at < name.size(); ++at) {
    const bool begins = SortOf(name[at]) != Sort::kSeparator && !IsWithin(name, at);
    if (begins && StandsAt(asked, name, at)) return true;
  }
  return false;
}

}  // namespace gp
