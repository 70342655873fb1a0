#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

// The data that was fetched to this host, in a directory for each entry: `tree` holds its files,
// and `done` is there once it is complete.  The least recently used are removed for new ones.  Any
// thread.
class DataCache {
 public:
  static constexpr int64_t kBytesPerFile = 8 << 10;  // what a disk needs for a small file

  // Takes over what an earlier agent has left, also what is incomplete.  Errors: kInternal.
  static Result<std::unique_ptr<DataCache>> Open(const std::string& directory, int64_t bytes_max);

  std::string TreeOf(const std::string& name) const { return DirectoryOf(name) + "/tree"; }
  // The entry of a path in a tree; empty: it is in none.
  std::string NameOf(const std::string& path) const;

  // The entry is not removed while a user has it pinned.
  void Pin(const std::string& user, const std::string& name);
  void Unpin(const std::string& user);
  // Whether it is complete; then it is the most recently used.
  bool Use(const std::string& name);
  // Makes its directory, with a tree in which this user may write, and takes room for all its
  // bytes.  Errors: kResourceExhausted (more than there is beside what is in use; nothing was
  // removed), kInternal.  REQUIRES: it is pinned.
  Status Reserve(const std::string& name, int64_t bytes, uint32_t uid, uint32_t gid);
  // It is complete.
  Status Finish(const std::string& name);

 private:
  struct Entry {
    int64_t bytes = 0;  // reserved
    bool is_complete = false;
    int64_t used = 0;  // the higher, the later
  };

  DataCache(std::string directory, int64_t bytes_max)
      : directory_(std::move(directory)), bytes_max_(bytes_max) {}

  std::string DirectoryOf(const std::string& name) const { return directory_ + "/" + name; }
  // These need mutex_ to be locked.
  void Load();
  bool IsPinned(const std::string& name) const;
  bool MakeRoom(int64_t bytes, const std::string& except);
  Status ReserveRoom(const std::string& name, int64_t bytes);
  void Remove(const std::string& name);
  // What Remove has set aside; without the lock, because it takes long.
  void ClearRemoved();

  const std::string directory_;
  const int64_t bytes_max_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;                 // by name
  std::map<std::string, std::set<std::string>> pinned_;  // names, by user
  int64_t uses_ = 0;
  int64_t removals_ = 0;
  std::vector<std::string> removed_;  // directories that are to be cleared
};

}  // namespace gp
