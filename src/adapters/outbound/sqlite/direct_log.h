#pragma once

// A file that grows at its end, written past the page cache: what is appended is kept until it is
// flushed, and then brought to the disk in whole blocks by one call that returns when it is there
// (O_DIRECT, O_DSYNC).  That takes a tenth to a fifth less time than a write and a sync: ADR 0040.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gp {

class DirectLog {
 public:
  // Of a file that is there.  None where the file system has no such writes.
  static std::unique_ptr<DirectLog> Open(const std::string& path);
  ~DirectLog();
  DirectLog(const DirectLog&) = delete;
  DirectLog& operator=(const DirectLog&) = delete;

  // At the end, and there is room for it before a Flush; or at 0, where the file is begun again and
  // all in it is void.
  bool Takes(int64_t at, size_t size) const;
  // 0, or the errno of the writes that became necessary; then all since the last Flush is void.
  // What stood behind the end is void too, up to the end of the block.
  // REQUIRES: Takes.
  [[nodiscard]] int Append(const void* bytes, size_t size, int64_t at);
  [[nodiscard]] int Flush();
  // Somebody else wrote up to there, through the page cache.
  // REQUIRES: nothing is pending.
  void NoteEnd(int64_t end);
  // Copies what lies wholly in what is pending; false: it does not.
  bool ReadPending(void* bytes, size_t size, int64_t at) const;
  // Bytes before `end` are.
  bool IsPending(int64_t end) const { return pending_ && end > start_; }

 private:
  DirectLog(int file, char* blocks) : file_(file), blocks_(blocks) {}
  int BeginAt(int64_t at);
  int WriteBlocks(size_t size);
  void KeepLastBlock();
  void WarmCache();

  const int file_;
  char* const blocks_;    // what is, or will be, in the file from `start_` to `run_end_`
  int64_t start_ = 0;     // a multiple of the block size
  int64_t run_end_ = -1;  // -1: there is no run
  int64_t end_ = 0;       // nothing behind it counts
  int64_t warm_end_ = 0;  // what is before it was given back to the page cache
  bool pending_ = false;
};

}  // namespace gp
