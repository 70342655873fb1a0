#pragma once

// The named pipe into which a job writes its reports.  We hold both its ends: whoever writes never
// waits for a reader, and what is written while nobody reads is kept, up to the pipe's 64 KiB.

#include <string>
#include <vector>

#include "base/result.h"
#include "supervisor/descriptor.h"

namespace gp {

class ReportPipe {
 public:
  // Makes it anew, with the directories above it; only `uid` (and root) may write.
  static Result<ReportPipe> Make(const std::string& path, uint32_t uid, uint32_t gid);

  int readable() const { return pipe_.get(); }
  // All whole lines that have come, at most 64 KiB at once.
  std::vector<std::string> TakeLines();

 private:
  Descriptor pipe_;
  std::string begun_;         // of a line
  bool is_skipping_ = false;  // the rest of one that is too long
};

}  // namespace gp
