#pragma once

// What a controller may ask of an agent beside orders: output of its jobs, and processes in them.

#include <functional>
#include <string>

#include "base/result.h"
#include "domain/model/ids.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

struct LogRequest {
  LeaseId lease;
  JobId job;
  int attempt = 0;
  int rank = 0;
  bool errors = false;
  int64_t offset = 0;
  bool follow = false;
};

class ChannelGateway {
 public:
  virtual ~ChannelGateway() = default;
  // Hands over the output piece by piece and returns at its end (with `follow`: the job's), or when
  // `take` returns false.  Blocks; any thread.
  virtual Status ReadLog(
      const LogRequest& request,
      const std::function<bool(int64_t offset, const std::string& bytes)>& take) = 0;
  // Any thread.  Errors as AttemptRunner::Exec.
  virtual Result<ExecStreams> Exec(LeaseId lease, const ExecSpec& spec) = 0;
};

}  // namespace gp
