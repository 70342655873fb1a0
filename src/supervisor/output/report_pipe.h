#pragma once

// The named pipe into which a job writes its reports.  The supervisor holds both ends, so a writer
// never waits for a reader, and the pipe holds up to 64 KiB until they are read.

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

class ReportPipe {
 public:
  // Creates the pipe again, with the directories above it; only `uid` and root may write.
  static Result<ReportPipe> Make(const std::string& path, uint32_t uid, uint32_t gid);

  int readable() const { return pipe_.get(); }
  // All complete lines that have arrived, at most 64 KiB at once.
  std::vector<std::string> TakeLines();

 private:
  Descriptor pipe_;
  std::string begun_;         // an incomplete line
  bool is_skipping_ = false;  // skips the rest of a line that is too long
};

}  // namespace gp
