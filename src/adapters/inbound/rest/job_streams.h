#pragma once

// Streams a job's state and its log, and the verification of images, over HTTP: as events or, for
// the log, as plain bytes.

#include <functional>
#include <memory>
#include <string>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/pump.h"

namespace gp {

// A streaming answer and its content type.
struct OpenedStream {
  std::string content_type;
  std::shared_ptr<HttpStream> stream;
};

// Sends the job at once and after each change.  `may_go_on`: as in PumpedStream.
Result<OpenedStream> StreamJob(Pumps& pumps, ControlApi& api, const Caller& caller,
                               const v1::GetJobRequest& request, std::function<Status()> may_go_on);

// Sends the job's log.  `as_events`: each event has its place, with which a disconnected reader
// resumes.
Result<OpenedStream> StreamLog(Pumps& pumps, ControlApi& api, const Caller& caller,
                               const v1::ReadLogRequest& request, bool as_events,
                               std::function<Status()> may_go_on);

// Sends the points of the job's metrics.  Each event has its position, with which a disconnected
// reader resumes; those of a job with hundreds of ranks have none.
Result<OpenedStream> StreamMetrics(Pumps& pumps, ControlApi& api, const Caller& caller,
                                   const v1::WatchJobMetricsRequest& request,
                                   std::function<Status()> may_go_on);

// Sends how far the verification of a node's images is, and the damaged layers.
Result<OpenedStream> StreamVerification(Pumps& pumps, ControlApi& api, const Caller& caller,
                                        const v1::VerifyImagesRequest& request,
                                        std::function<Status()> may_go_on);

// Resumes a log after an event's id: "2-1024" means 1,024 bytes of the second attempt.
// kInvalidArgument: malformed.
Status GoOnBehind(const std::string& id, v1::ReadLogRequest& request);

}  // namespace gp
