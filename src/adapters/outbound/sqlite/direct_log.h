#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gp {

// A file that grows at its end, written past the page cache.  Appended bytes stay in memory until
// Flush writes them in whole blocks with one call that returns when they are on disk (O_DIRECT,
// O_DSYNC).  ADR 0040.  One thread at a time.
class DirectLog {
 public:
  // Opens an existing file. nullptr: the file system does not support such writes.
  static std::unique_ptr<DirectLog> Open(const std::string& path);
  ~DirectLog();
  DirectLog(const DirectLog&) = delete;
  DirectLog& operator=(const DirectLog&) = delete;

  // Whether Append accepts this: `at` is at the end or behind it, and the buffer has room before a
  // Flush.
  bool Takes(int64_t at, size_t size) const;
  // 0, or the errno of a Flush that became necessary.  Bytes behind the end are void, up to the end
  // of its block.
  // REQUIRES: Takes.
  [[nodiscard]] int Append(const void* bytes, size_t size, int64_t at);
  // 0, or the errno; on an error the pending bytes stay pending.
  [[nodiscard]] int Flush();
  // Makes everything in the file void, and the pending bytes too: the next Append is at 0.
  void BeginAgain();
  // Another writer has written up to `end`, through the page cache.
  // REQUIRES: nothing is pending.
  void NoteEnd(int64_t end);

  // The bytes that are not in the file yet, perhaps with some before them that are; empty: none.
  std::string_view pending() const;
  int64_t pending_at() const { return start_; }
  void DropPending();
  // Copies the range if it lies completely in the pending bytes; false: it does not.
  bool ReadPending(void* bytes, size_t size, int64_t at) const;

 private:
  DirectLog(int file, char* blocks) : file_(file), blocks_(blocks) {}
  int BeginAt(int64_t at);
  int ReadBlock(int64_t at, size_t needed);
  int WriteBlocks(size_t size);
  void KeepLastBlock();
  void WarmCache();

  const int file_;
  char* const blocks_;    // content of the file from `start_` to `run_end_`, also what is pending
  int64_t start_ = 0;     // a multiple of the block size
  int64_t run_end_ = -1;  // -1: the buffer is empty
  int64_t end_ = 0;       // end of the valid bytes
  int64_t warm_end_ = 0;  // up to here the page cache was refilled
  bool pending_ = false;
};

}  // namespace gp
