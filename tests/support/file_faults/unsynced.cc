#include "tests/support/file_faults/unsynced.h"

#include <algorithm>

#include "base/rng.h"
#include "tests/support/file_faults/raw_files.h"

namespace gp {
namespace {

std::string ParentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string ContentOf(const std::string& path) {
  const int fd = RawOpen(path, O_RDONLY);
  if (fd < 0) return {};
  std::string content = RawRead(fd, 0, static_cast<size_t>(SizeOf(fd)));
  close(fd);
  return content;
}

void WriteAgain(const std::string& path, const std::string& content) {
  const int fd = RawOpen(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (fd < 0) return;
  (void)RawPwrite(fd, content.data(), content.size(), 0);
  close(fd);
}

}  // namespace

void Unsynced::Clear() {
  changes_.clear();
  names_.clear();
}

void Unsynced::Write(int fd, const std::string& path, off_t at, const void* bytes, size_t size) {
  const off_t size_before = SizeOf(fd);
  changes_.push_back({.path = path,
                      .at = at,
                      .before = RawRead(fd, at, size),
                      .after = std::string(static_cast<const char*>(bytes), size),
                      .size_before = size_before,
                      .size_after = std::max(size_before, at + static_cast<off_t>(size))});
}

void Unsynced::Truncate(int fd, const std::string& path, off_t size) {
  const off_t before = SizeOf(fd);
  const size_t cut = before > size ? static_cast<size_t>(before - size) : 0;
  changes_.push_back({.path = path,
                      .at = size,
                      .before = RawRead(fd, size, cut),
                      .after = {},
                      .size_before = before,
                      .size_after = size});
}

void Unsynced::Create(const std::string& path) {
  names_.push_back({.kind = Naming::kCreated, .path = path, .from = {}, .content = {}});
}

void Unsynced::Rename(const std::string& from, const std::string& to) {
  Forget(to);
  names_.push_back({.kind = Naming::kRenamed,
                    .path = to,
                    .from = from,
                    .content = ContentOf(to),
                    .was_there = RawExists(to)});
  for (Change& change : changes_) {
    if (change.path == from) change.path = to;
  }
}

void Unsynced::Remove(const std::string& path) {
  names_.push_back(
      {.kind = Naming::kRemoved, .path = path, .from = {}, .content = ContentOf(path)});
  Forget(path);
}

void Unsynced::Forget(const std::string& path) {
  std::erase_if(changes_, [&](const Change& change) { return change.path == path; });
}

void Unsynced::Sync(const std::string& path) {
  Forget(path);
  std::erase_if(names_, [&](const Naming& naming) { return ParentOf(naming.path) == path; });
}

void Unsynced::Lose(uint64_t seed) {
  UndoBytes(seed);
  UndoNames(seed);
  Clear();
}

void Unsynced::UndoBytes(uint64_t seed) {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    const int fd = RawOpen(change->path, O_WRONLY);
    (void)RawPwrite(fd, change->before.data(), change->before.size(), change->at);
    (void)RawTruncate(fd, change->size_before);
    close(fd);
  }
  Rng rng(seed);
  for (const Change& change : changes_) {
    if (seed == 0 || rng.Chance(1, 2)) continue;
    const size_t size = rng.Chance(1, 8) ? change.after.size() / 2 : change.after.size();
    const int fd = RawOpen(change.path, O_WRONLY);
    (void)RawPwrite(fd, change.after.data(), size, change.at);
    if (change.after.empty()) (void)RawTruncate(fd, change.size_after);
    close(fd);
  }
}

void Unsynced::UndoNames(uint64_t seed) {
  size_t kept = seed == 0 ? 0 : Rng(seed + 1).Below(names_.size() + 1);
  for (; names_.size() > kept; names_.pop_back()) {
    const Naming& last = names_.back();
    if (last.kind == Naming::kRemoved) WriteAgain(last.path, last.content);
    if (last.kind == Naming::kRenamed) RawRename(last.path, last.from);
    if (last.kind == Naming::kRenamed && last.was_there) WriteAgain(last.path, last.content);
    if (last.kind == Naming::kCreated && RawRemove(last.path) != 0)
      RawRemove(last.path, AT_REMOVEDIR);
  }
}

}  // namespace gp
