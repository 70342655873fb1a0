#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "application/replication/care/trim_policy.h"

namespace gp {

// What a leader has written to the log, for those that keep the store small: the trimmer need not
// read it again.  Any thread; nobody waits for longer than another one takes to note a chunk.
class NewChunks {
 public:
  struct Noted {
    std::vector<ChunkPlace> chunks;
    uint64_t last = 0;  // the last record of the newest one; 0: there is none
  };

  void Note(const ChunkPlace& chunk, uint64_t last) {
    const std::lock_guard lock(mutex_);
    noted_.chunks.push_back(chunk);
    noted_.last = last;
    bytes_ += chunk.bytes;
  }
  // What was noted since the last call.
  Noted Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(noted_, {});
  }
  // Of all chunks that were ever noted.
  uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  mutable std::mutex mutex_;
  Noted noted_;
  uint64_t bytes_ = 0;
};

}  // namespace gp
