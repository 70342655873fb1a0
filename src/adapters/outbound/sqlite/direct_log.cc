#include "adapters/outbound/sqlite/direct_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/ignore_result.h"

namespace gp {
namespace {

// Devices with larger blocks refuse: then the log is not written directly
constexpr size_t kBlock = 4'096;
constexpr size_t kCapacity = 1U << 20U;
constexpr int64_t kWarmedAtOnce = 1 << 20;

int64_t BlockOf(int64_t at) {
  return at / static_cast<int64_t>(kBlock) * static_cast<int64_t>(kBlock);
}

}  // namespace

std::unique_ptr<DirectLog> DirectLog::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_DIRECT | O_DSYNC | O_CLOEXEC);
  if (file < 0) return nullptr;
  auto* const blocks = static_cast<char*>(std::aligned_alloc(kBlock, kCapacity));
  if (blocks == nullptr) {
    close(file);
    return nullptr;
  }
  return std::unique_ptr<DirectLog>(new DirectLog(file, blocks));
}

DirectLog::~DirectLog() {
  close(file_);
  std::free(blocks_);
}

bool DirectLog::Takes(int64_t at, size_t size) const {
  if (at < end_) return false;
  const int64_t used = at == run_end_ ? at - start_ : at - BlockOf(at);
  return static_cast<size_t>(used) + size <= kCapacity;
}

int DirectLog::Append(const void* bytes, size_t size, int64_t at) {
  if (at != run_end_) {
    if (const int error = Flush(); error != 0) return error;
    if (const int error = BeginAt(at); error != 0) return error;
  }
  std::memcpy(blocks_ + (run_end_ - start_), bytes, size);
  end_ = run_end_ += static_cast<int64_t>(size);
  pending_ = true;
  return 0;
}

// Keeps the bytes of the block before `at`.
int DirectLog::BeginAt(int64_t at) {
  run_end_ = -1;
  start_ = BlockOf(at);
  if (at > start_) {
    if (const int error = ReadBlock(start_, static_cast<size_t>(at - start_)); error != 0)
      return error;
  }
  run_end_ = at;
  return 0;
}

int DirectLog::ReadBlock(int64_t at, size_t needed) {
  ssize_t count = 0;
  do {
    count = pread(file_, blocks_, kBlock, at);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno;
  return static_cast<size_t>(count) < needed ? EIO : 0;
}

int DirectLog::Flush() {
  if (!pending_) return 0;
  const size_t used = static_cast<size_t>(run_end_ - start_);
  const size_t size = (used + kBlock - 1) / kBlock * kBlock;
  std::memset(blocks_ + used, 0, size - used);
  if (const int error = WriteBlocks(size); error != 0) return error;
  pending_ = false;
  KeepLastBlock();
  WarmCache();
  return 0;
}

int DirectLog::WriteBlocks(size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count =
        pwrite(file_, blocks_ + done, size - done, start_ + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    // A write that ends within a block reached the end of the disk.
    if (count == 0 || static_cast<size_t>(count) % kBlock != 0) return errno = ENOSPC;
    done += static_cast<size_t>(count);
  }
  return 0;
}

// Keeps the last block, in which the next append begins.
void DirectLog::KeepLastBlock() {
  const int64_t last = BlockOf(run_end_);
  std::memmove(blocks_, blocks_ + (last - start_), static_cast<size_t>(run_end_ - last));
  start_ = last;
}

// When the log is full, SQLite reads all of it at once, page by page.  To save most of these disk
// reads, this asks the kernel at intervals to fetch in the background what was written.
void DirectLog::WarmCache() {
  if (start_ - warm_end_ < kWarmedAtOnce) return;
  IgnoreResult(posix_fadvise(file_, warm_end_, start_ - warm_end_, POSIX_FADV_WILLNEED),
               "a hint to the kernel");
  warm_end_ = start_;
}

void DirectLog::BeginAgain() {
  DropPending();
  end_ = warm_end_ = 0;
}

void DirectLog::NoteEnd(int64_t end) {
  run_end_ = -1;  // its last block may have changed
  end_ = std::max(end_, end);
}

std::string_view DirectLog::pending() const {
  return pending_ ? std::string_view(blocks_, static_cast<size_t>(run_end_ - start_))
                  : std::string_view();
}

void DirectLog::DropPending() {
  pending_ = false;
  run_end_ = -1;
}

bool DirectLog::ReadPending(void* bytes, size_t size, int64_t at) const {
  if (!pending_ || at < start_ || at + static_cast<int64_t>(size) > run_end_) return false;
  std::memcpy(bytes, blocks_ + (at - start_), size);
  return true;
}

}  // namespace gp
