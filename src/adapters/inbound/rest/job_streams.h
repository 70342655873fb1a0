#pragma once

// What a job does and says, as it comes, over HTTP: events, or the bytes of its output as they are.

#include <functional>
#include <memory>
#include <string>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/pump.h"

namespace gp {

// An answer that goes on, and of what type.
struct OpenedStream {
  std::string content_type;
  std::shared_ptr<HttpStream> stream;
};

// The job at once, and after each change.  `may_go_on`: as in PumpedStream.
Result<OpenedStream> StreamJob(Pumps& pumps, ControlApi& api, const Caller& caller,
                               const v1::GetJobRequest& request, std::function<Status()> may_go_on);

// Its output: `as_events` with the place of each piece, which a reader that was cut off comes back
// with.
Result<OpenedStream> StreamLog(Pumps& pumps, ControlApi& api, const Caller& caller,
                               const v1::ReadLogRequest& request, bool as_events,
                               std::function<Status()> may_go_on);

// Behind what a reader has: "2-1024", of the second attempt 1,024 bytes.  kInvalidArgument: it is
// no such id.
Status GoOnBehind(const std::string& id, v1::ReadLogRequest& request);

}  // namespace gp
