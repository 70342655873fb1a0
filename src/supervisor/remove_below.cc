#include "supervisor/remove_below.h"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "supervisor/descriptor.h"
#include "supervisor/remove_tree.h"

namespace gp {
namespace {

// The words that lead from the directory to the path; empty: they do not lead below it.
std::vector<std::string> WordsBelow(const std::string& directory, std::string_view path) {
  if (directory.empty() || !path.starts_with(directory)) return {};
  std::string_view rest = path.substr(directory.size());
  if (!directory.ends_with('/') && !rest.starts_with('/')) return {};
  std::vector<std::string> words;
  for (const std::string& word : Split(rest, '/')) {
    if (word == "." || word == "..") return {};
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

}  // namespace

void RemoveBelow(const std::string& directory, const std::string& path) {
  const std::vector<std::string> words = WordsBelow(directory, path);
  if (words.empty()) return;
  Descriptor at(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t i = 0; i + 1 < words.size() && at.valid(); ++i) {
    at = Descriptor(openat(at.get(), words[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.valid()) return;
  if (unlinkat(at.get(), words.back().c_str(), 0) != 0) RemoveTree(at.get(), words.back().c_str());
}

}  // namespace gp
