#include "supervisor/files/remove_below.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "base/paths.h"
#include "files/descriptor.h"
#include "supervisor/files/remove_tree.h"

namespace gp {
namespace {

constexpr std::string_view kAside = ".gp-discard.";
constexpr size_t kNameMax = 200;  // bytes of the original name that are kept

// A file or directory, by its name in a directory.
struct Entry {
  Descriptor directory;
  std::string name;
};

void Remove(const Entry& entry) {
  if (unlinkat(entry.directory.get(), entry.name.c_str(), 0) != 0)
    RemoveTree(entry.directory.get(), entry.name.c_str());
}

// Renames the path within its directory.
std::optional<Entry> MoveAside(const std::string& directory, const std::string& path) {
  const std::vector<std::string_view> words = WordsBelow(directory, path);
  if (words.empty()) return std::nullopt;
  Descriptor at(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t i = 0; i + 1 < words.size() && at.valid(); ++i) {
    at = Descriptor(openat(at.get(), std::string(words[i]).c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.valid()) return std::nullopt;
  const std::string name(words.back());
  Entry aside{std::move(at), std::string(kAside) + name.substr(0, kNameMax)};
  Remove(aside);  // left by an earlier, interrupted removal
  if (renameat(aside.directory.get(), name.c_str(), aside.directory.get(), aside.name.c_str()) == 0)
    return aside;
  if (errno != EXDEV) return std::nullopt;
  // In an overlay's lower layer it cannot be renamed, and keeps its name until it is empty
  return Entry{std::move(aside.directory), name};
}

}  // namespace

void RemoveBelow(const std::string& directory, const std::vector<std::string>& paths) {
  std::vector<Entry> aside;
  for (const std::string& path : paths) {
    if (auto moved = MoveAside(directory, path)) aside.push_back(*std::move(moved));
  }
  for (const Entry& entry : aside) Remove(entry);
}

}  // namespace gp
