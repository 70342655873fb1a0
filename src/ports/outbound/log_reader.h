#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace gp {

// A piece of a job's output.  Byte N of the output stays byte N for ever; where old bytes were
// dropped, reading goes on at the first one kept.
struct LogSlice {
  std::string bytes;
  int64_t offset = 0;  // of the first byte
  int64_t end = 0;     // bytes written so far
};

class LogReader {
 public:
  virtual ~LogReader() = default;
  // At most `bytes_max` from `offset`; negative: so many before the end.  An output that does not
  // exist yet is empty.  Errors: kInternal (unreadable).
  virtual Result<LogSlice> Read(const std::string& path, int64_t offset, int64_t bytes_max) = 0;
};

}  // namespace gp
