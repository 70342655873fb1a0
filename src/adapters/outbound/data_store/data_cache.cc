#include "adapters/outbound/data_store/data_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "base/text.h"
#include "files/descriptor.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

// Directories that are to be cleared.
const std::string kRemoved = "removed-";

// Of all files in it, as their lengths say, and what the disk needs for each; 0: it cannot be read.
int64_t BytesIn(const std::string& directory) {
  int64_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code none;
    if (at->is_regular_file(none) && !at->is_symlink(none))
      bytes += static_cast<int64_t>(at->file_size(none)) + DataCache::kBytesPerFile;
  }
  return bytes;
}

Status MakePlainDirectory(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return Ok();
  return Fail(Internal("cannot make " + path + ": " + std::strerror(errno)));
}

}  // namespace

Result<std::unique_ptr<DataCache>> DataCache::Open(const std::string& directory,
                                                   int64_t bytes_max) {
  // Only jobs for which it was fetched see what is in there.
  GP_CHECK_OK(MakePlainDirectory(directory, 0700));
  std::unique_ptr<DataCache> cache(new DataCache(directory, bytes_max));
  cache->Load();
  return cache;
}

void DataCache::Load() {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  for (const fs::directory_entry& one : fs::directory_iterator(directory_, failed)) {
    std::error_code none;
    // Of an agent that ended meanwhile; the next transfer clears it.
    if (one.path().filename().string().starts_with(kRemoved)) {
      removed_.push_back(one.path());
      const std::string number = one.path().filename().string().substr(kRemoved.size());
      removals_ = std::max(removals_, ParseCount(number).value_or(0));
      continue;
    }
    const fs::path done = one.path() / "done";
    const bool is_complete = fs::exists(done, none);
    found.emplace_back(fs::last_write_time(is_complete ? done : one.path(), none),
                       one.path().filename());
    entries_[found.back().second] = {BytesIn(one.path() / "tree"), is_complete, 0};
  }
  std::ranges::sort(found);
  for (const auto& [time, name] : found) entries_[name].used = ++uses_;
}

std::string DataCache::NameOf(const std::string& path) const {
  const std::vector<std::string_view> words = WordsBelow(directory_, path);
  return words.size() < 2 ? "" : std::string(words.front());
}

void DataCache::Pin(const std::string& user, const std::string& name) {
  const std::lock_guard lock(mutex_);
  pinned_[user].insert(name);
}

void DataCache::Unpin(const std::string& user) {
  const std::lock_guard lock(mutex_);
  pinned_.erase(user);
}

bool DataCache::IsPinned(const std::string& name) const {
  return std::ranges::any_of(pinned_, [&](const auto& one) { return one.second.contains(name); });
}

bool DataCache::Use(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(name);
  if (entry == entries_.end() || !entry->second.is_complete) return false;
  entry->second.used = ++uses_;
  // Remembered for the next agent.
  utimensat(AT_FDCWD, (DirectoryOf(name) + "/done").c_str(), nullptr, 0);
  return true;
}

Status DataCache::Reserve(const std::string& name, int64_t bytes, uint32_t uid, uint32_t gid) {
  const Status has_room = ReserveRoom(name, bytes);
  ClearRemoved();
  GP_CHECK_OK(has_room);
  GP_CHECK_OK(MakePlainDirectory(DirectoryOf(name), 0700));
  GP_CHECK_OK(MakePlainDirectory(TreeOf(name), 0755));
  if (geteuid() == 0 && chown(TreeOf(name).c_str(), uid, gid) != 0)
    return Fail(Internal("cannot give " + TreeOf(name) + " away: " + std::strerror(errno)));
  return Ok();
}

Status DataCache::ReserveRoom(const std::string& name, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!MakeRoom(bytes, name))
    return Fail(Error{ErrorCode::kResourceExhausted,
                      "no room for " + std::to_string(bytes) + " bytes of data: at most " +
                          std::to_string(bytes_max_) + " are kept, less what jobs use (data_gib)"});
  entries_[name] = {bytes, false, ++uses_};
  return Ok();
}

bool DataCache::MakeRoom(int64_t bytes, const std::string& except) {
  int64_t used = bytes;
  std::vector<std::pair<int64_t, std::string>> removable;
  int64_t removable_bytes = 0;
  for (const auto& [name, entry] : entries_) {
    if (name == except) continue;
    used += entry.bytes;
    if (IsPinned(name)) continue;
    removable.emplace_back(entry.used, name);
    removable_bytes += entry.bytes;
  }
  if (bytes > bytes_max_ || used - removable_bytes > bytes_max_) return false;
  std::ranges::sort(removable);
  for (size_t i = 0; used > bytes_max_; ++i) {
    used -= entries_.at(removable[i].second).bytes;
    Remove(removable[i].second);
  }
  return true;
}

Status DataCache::Finish(const std::string& name) {
  const std::string done = DirectoryOf(name) + "/done";
  const Descriptor file(open(done.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid() || fsync(file.get()) != 0)
    return Fail(Internal("cannot write " + done + ": " + std::strerror(errno)));
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[name];
  entry.is_complete = true;
  entry.used = ++uses_;
  return Ok();
}

void DataCache::Remove(const std::string& name) {
  const std::string aside = DirectoryOf(kRemoved + std::to_string(++removals_));
  if (rename(DirectoryOf(name).c_str(), aside.c_str()) == 0) removed_.push_back(aside);
  entries_.erase(name);
}

void DataCache::ClearRemoved() {
  std::vector<std::string> removed;
  {
    const std::lock_guard lock(mutex_);
    removed.swap(removed_);
  }
  std::error_code failed;
  for (const std::string& directory : removed) fs::remove_all(directory, failed);
}

}  // namespace gp
