#include "base/paths.h"

#include <algorithm>
#include <cstddef>

namespace gp {
namespace {

bool IsStraight(const std::vector<std::string_view>& words) {
  return std::ranges::none_of(words,
                              [](std::string_view word) { return word == "." || word == ".."; });
}

bool BeginsWith(const std::vector<std::string_view>& words,
                const std::vector<std::string_view>& first) {
  return words.size() >= first.size() && std::equal(first.begin(), first.end(), words.begin());
}

}  // namespace

std::vector<std::string_view> PathWords(std::string_view path) {
  std::vector<std::string_view> words;
  while (!path.empty()) {
    const std::string_view word = path.substr(0, path.find('/'));
    if (!word.empty()) words.push_back(word);
    path.remove_prefix(std::min(word.size() + 1, path.size()));
  }
  return words;
}

std::vector<std::string_view> WordsBelow(std::string_view directory, std::string_view path) {
  const std::vector<std::string_view> above = PathWords(directory);
  std::vector<std::string_view> words = PathWords(path);
  if (directory.empty() || !IsStraight(words) || !BeginsWith(words, above)) return {};
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(above.size()));
  return words;
}

bool IsAtOrBelow(std::string_view directory, std::string_view path) {
  const std::vector<std::string_view> above = PathWords(directory);
  const std::vector<std::string_view> words = PathWords(path);
  return !directory.empty() && IsStraight(above) && IsStraight(words) && BeginsWith(words, above);
}

std::string PlainPath(std::string_view path) {
  std::string plain;
  for (const std::string_view word : PathWords(path)) {
    if (word != ".") plain.append("/").append(word);
  }
  return plain.empty() ? "/" : plain;
}

bool IsInTmp(std::string_view path) { return path == "/tmp" || path.starts_with("/tmp/"); }

bool PathsOverlap(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> left = PathWords(a);
  const std::vector<std::string_view> right = PathWords(b);
  return !IsStraight(left) || !IsStraight(right) || BeginsWith(left, right) ||
         BeginsWith(right, left);
}

}  // namespace gp
