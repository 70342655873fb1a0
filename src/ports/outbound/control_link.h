#pragma once

// The agent's line to its controller: reports up, complete orders down, and channels that the
// controller asks for.  The line may break at any time; the agent then connects again and joins.
// One thread (the agent's) calls it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

// How far the job of a lease says that it is.
struct LeaseProgress {
  LeaseId lease;
  Instant at;  // of its last report, by the node's clock
  int64_t step = 0;
  int64_t steps = 0;    // of so many; 0: not said
  std::string refused;  // the last report that could not be read, and why
  bool operator==(const LeaseProgress&) const = default;
};

struct AgentReport {
  std::vector<LeaseObservation> leases;  // all of them
  std::vector<GpuObservation> gpus;
  std::vector<GpuReading> readings;     // by GPU, each with its age; empty: none is watched
  std::vector<LeaseProgress> progress;  // of leases whose jobs report any
};

// What happened to GPUs, and how tasks of theirs have ended.
struct GpuNews {
  std::vector<FaultSignal> signals;
  std::vector<GpuTaskResult> results;
};

// What came since the last look.
struct LinkNews {
  bool broken = false;    // connect and join again
  std::string why;        // of broken, in words
  uint64_t answered = 0;  // newest message that the controller has seen; 0: none new
  Duration lease_time;    // with `answered`
  std::optional<NodeDesiredState> desired;  // complete; absent: as before
  // Not 0: refused.  All attempts here belong to another journal; end them, take this lineage,
  // join.
  uint64_t foreign_to = 0;
};

class ControlLink {
 public:
  virtual ~ControlLink() = default;

  // Drops any connection and begins a new one with this join as message 1; does not wait for it.
  virtual void Connect(const JoinNode& join) = 0;
  // Sends in the background.  The message's number, growing from 2 within a connection.
  virtual uint64_t Send(const AgentReport& report) = 0;
  // The same; it is answered when it is durable.
  virtual uint64_t Send(const GpuNews& news) = 0;
  virtual LinkNews TakeNews() = 0;
  // Readable when there are news; owned by the link.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
