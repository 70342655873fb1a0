#pragma once

// What a power cut would take: every change of a file's bytes since it was synced, each by itself,
// and every name made, changed or removed since its directory was synced, the newest first.  This
// is as far as POSIX lets a machine go; real file systems keep more.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

class Unsynced {
 public:
  void Clear();
  // Before the change is made.
  void Write(int fd, const std::string& path, off_t at, const void* bytes, size_t size);
  void Truncate(int fd, const std::string& path, off_t size);
  void Create(const std::string& path);
  void Rename(const std::string& from, const std::string& to);
  void Remove(const std::string& path);
  void Sync(const std::string& path);
  // Undoes it all with seed 0; else a part of it that the seed chooses.
  void Lose(uint64_t seed);

 private:
  struct Change {  // of bytes
    std::string path;
    off_t at = 0;
    std::string before;
    std::string after;
    off_t size_before = 0;
    off_t size_after = 0;
  };
  struct Naming {
    enum Kind { kCreated, kRenamed, kRemoved } kind = kCreated;
    std::string path;
    std::string from;
    std::string content;  // of what the name stood for before
    bool was_there = false;
  };
  void UndoBytes(uint64_t seed);
  void UndoNames(uint64_t seed);
  void Forget(const std::string& path);

  std::vector<Change> changes_;
  std::vector<Naming> names_;
};

}  // namespace gp
