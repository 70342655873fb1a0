#pragma once

// Why a job waits, as text for people: for `jobs explain`, `jobs describe` and `watch`.

#include <string>

#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// With the forecast of its start and cost.
v1::ExplainJobRequest ExplainRequest(const std::string& job);
// Why it waits, when it starts, and what would start it now; several lines.
std::string ExplainText(const v1::ExplainJobReply& reply);
// Its position, its start and the next command; empty: it starts now.
std::string OutlookText(const std::string& job, const v1::ExplainJobReply& reply);

}  // namespace gp
