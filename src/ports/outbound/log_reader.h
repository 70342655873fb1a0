#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// A piece of a job's output.  Byte N of the output stays byte N for ever; if old bytes were
// dropped, reading continues at the first byte that remains.
struct LogSlice {
  std::string bytes;
  int64_t offset = 0;  // of the first byte
  int64_t end = 0;     // bytes written so far
};

// Reads the output of jobs from disk.  Any thread may call it.
class LogReader {
 public:
  virtual ~LogReader() = default;
  // Reads at most `bytes_max` from `offset`; a negative offset counts from the end.  An output that
  // does not exist yet is empty.  Errors: kInternal (unreadable).
  virtual Result<LogSlice> Read(const std::string& path, int64_t offset, int64_t bytes_max) = 0;
  // An offset at or before the first byte written at or after `since`, by the node's clock; what is
  // between them was written in the seconds before.  0 where nothing is known of times.  Errors:
  // kInternal (unreadable).
  virtual Result<int64_t> OffsetAt(const std::string& path, Instant since) = 0;
};

}  // namespace gp
