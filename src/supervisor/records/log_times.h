#pragma once

// When the bytes of a job's output were written: marks beside the output, in "0.out.times".  A mark
// is a time and the offset of the first byte written then.  At most one is kept for each second;
// the longer the output grows, the rarer they become: 40,000 for a day, 150,000 for three months,
// of 16 bytes each.

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "files/descriptor.h"

namespace gp {

struct LogMark {
  Instant at;
  int64_t offset = 0;
};

std::string LogTimesPath(const std::string& log);

class LogTimesWriter {
 public:
  LogTimesWriter() = default;
  // The file is created for `owner` at the second mark: an output of one moment needs none.
  LogTimesWriter(std::string log, uint32_t owner) : log_(std::move(log)), owner_(owner) {}

  // Output is written at `offset` now.  A mark that cannot be written is skipped.
  void Note(Instant now, int64_t offset);

 private:
  std::string log_;
  uint32_t owner_ = 0;
  Descriptor file_;
  LogMark first_;
  int64_t marks_ = 0;
  Instant next_;  // no mark before this time
};

// The offset at or before the first byte written at or after `since`; between them is what was
// written in the second (of a long output: the distance of two marks) before `since`.  0: nothing
// is known.  kInternal: unreadable.
Result<int64_t> OffsetAt(const std::string& log, Instant since);

}  // namespace gp
