#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

// Progress that the job of a lease has reported.
struct LeaseProgress {
  LeaseId lease;
  Instant at;  // of its last report, by the node's clock
  int64_t step = 0;
  int64_t steps = 0;    // total; 0: not reported
  std::string refused;  // the last report that could not be parsed, and why
  bool operator==(const LeaseProgress&) const = default;
};

// A heartbeat: the complete state of the node as its agent sees it.
struct AgentReport {
  std::vector<LeaseObservation> leases;  // all of them
  std::vector<GpuObservation> gpus;
  std::vector<GpuReading> readings;     // by GPU, each with its age; empty: no GPU is watched
  std::vector<LeaseProgress> progress;  // of leases whose jobs report progress
};

// Faults of GPUs, and results of GPU tasks.
struct GpuNews {
  std::vector<FaultSignal> signals;
  std::vector<GpuTaskResult> results;
};

// What has arrived since the last TakeNews.
struct LinkNews {
  bool broken = false;        // the agent must connect and join again
  std::string why;            // the reason, if `broken`
  uint64_t acknowledged = 0;  // newest message that the controller has acknowledged; 0: no new one
  Duration lease_time;        // with `acknowledged`
  std::optional<NodeDesiredState> desired;  // complete; absent: unchanged
  // Not 0: the join is refused, because all attempts here belong to another journal.  The agent
  // must end them, take this lineage and join again.
  uint64_t foreign_to = 0;
};

// The agent's connection to its controller: it carries reports up, the complete desired state down,
// and channels that the controller requests.  It may break at any time; the agent then connects and
// joins again.  One thread (the agent's) calls it.
class ControlLink {
 public:
  virtual ~ControlLink() = default;

  // Drops the present connection and starts a new one with this join as message 1; does not wait.
  virtual void Connect(const JoinNode& join) = 0;
  // Sends in the background.  Returns the number of the message, which grows from 2 within a
  // connection.
  virtual uint64_t Send(const AgentReport& report) = 0;
  // The same; the controller acknowledges it when it is durable.
  virtual uint64_t Send(const GpuNews& news) = 0;
  virtual LinkNews TakeNews() = 0;
  // Readable when there is news; owned by the link.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
