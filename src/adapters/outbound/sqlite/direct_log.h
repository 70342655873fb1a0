#pragma once

// A file that grows at its end, written past the page cache: what is appended is kept until it is
// flushed, and then brought to the disk in whole blocks by one call that returns when it is there
// (O_DIRECT, O_DSYNC).  ADR 0040.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gp {

class DirectLog {
 public:
  // Of a file that is there.  None where the file system has no such writes.
  static std::unique_ptr<DirectLog> Open(const std::string& path);
  ~DirectLog();
  DirectLog(const DirectLog&) = delete;
  DirectLog& operator=(const DirectLog&) = delete;

  // `at` is the end or behind it, and there is room before a Flush.
  bool Takes(int64_t at, size_t size) const;
  // 0, or the errno of what became necessary.  What stood behind the end is void, up to the end of
  // its block.
  // REQUIRES: Takes.
  [[nodiscard]] int Append(const void* bytes, size_t size, int64_t at);
  // 0, or the errno; then what is pending stays so.
  [[nodiscard]] int Flush();
  // Everything in the file is void, and so is what is pending: the next Append is at 0.
  void BeginAgain();
  // Somebody else wrote up to there, through the page cache.
  // REQUIRES: nothing is pending.
  void NoteEnd(int64_t end);

  // What is not in the file yet, and perhaps some bytes before it that are; empty: nothing.
  std::string_view pending() const;
  int64_t pending_at() const { return start_; }
  void DropPending();
  // Copies what lies wholly in it; false: it does not.
  bool ReadPending(void* bytes, size_t size, int64_t at) const;

 private:
  DirectLog(int file, char* blocks) : file_(file), blocks_(blocks) {}
  int BeginAt(int64_t at);
  int ReadBlock(int64_t at, size_t needed);
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
