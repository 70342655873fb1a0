#pragma once

// Queues and their usage as messages.

#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// GPU-hours of a use in thousandths of a GPU's compute times milliseconds.
inline double GpuHours(int64_t share_ms) {
  return static_cast<double>(share_ms) / (3.6e6 * kWholeShare);
}

void QueueView(const State& state, const Queue& queue, Instant now, v1::Queue* message);
// Fills in all queues and pools.
void QueuesView(const State& state, Instant now, v1::ListQueuesReply* message);

Result<SetQueue> FromProto(const v1::SetQueueRequest& message);

}  // namespace gp
