#pragma once

// The end of a job's output.

#include <grpcpp/client_context.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

struct LogTail {
  std::string text;
  int64_t begin = 0;  // offset of its first byte in the output
};

// REQUIRES: the request does not follow.  Its offset is negative: that number of bytes, or less
// where the output is shorter.  Any thread may end the call through its context.  `end`: how the
// call ended; nullptr: not wanted.
Result<LogTail> ReadLogTail(v1::Control::Stub& stub, grpc::ClientContext& context,
                            const v1::ReadLogRequest& request, grpc::Status* end = nullptr);

// The last lines as a terminal would leave them: what overwrote a line by a carriage return, blanks
// in place of tabs, no colours and no other escape sequences.  Single control characters remain.  A
// first line that the tail begins inside of is left out.
std::vector<std::string> LastLines(const LogTail& tail, size_t lines_max);

}  // namespace gp
