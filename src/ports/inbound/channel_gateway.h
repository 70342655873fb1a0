#pragma once

// What a controller may request of an agent besides the desired state: the output of jobs, more
// processes in them, and care for its images.

#include <functional>
#include <string>

#include "base/result.h"
#include "domain/model/ids.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/image_care.h"

namespace gp {

// Which output of which rank to read, from which byte.
struct LogRequest {
  LeaseId lease;
  JobId job;
  int attempt = 0;
  int rank = 0;
  bool errors = false;  // stderr in place of stdout
  int64_t offset = 0;   // negative: that many bytes before the end
  bool follow = false;  // go on until the job ends
  Instant since{};      // in place of an offset: what was written from then on; 0: not used
};

// The agent's side of a channel between a user and a node.  Every thread may call it.
class ChannelGateway {
 public:
  virtual ~ChannelGateway() = default;
  // Passes the output to `take` piece by piece.  Returns at the end of the output (with `follow`:
  // at the end of the job), or when `take` returns false.  Blocks.
  virtual Status ReadLog(
      const LogRequest& request,
      const std::function<bool(int64_t offset, const std::string& bytes)>& take) = 0;
  // Starts a process in a running attempt.  Errors: those of AttemptRunner::Exec.
  virtual Result<ExecStreams> Exec(LeaseId lease, const ExecSpec& spec) = 0;
  // nullptr: the node offers none.
  virtual ImageCare* Images() = 0;
};

}  // namespace gp
