#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "ports/outbound/controller_epoch.h"
#include "ports/outbound/gpu_watch.h"
#include "ports/outbound/held_image.h"
#include "ports/outbound/metric_store.h"
#include "ports/outbound/staging_progress.h"

namespace gp {

// Progress that the job of a lease has reported.
struct LeaseProgress {
  LeaseId lease;
  Instant at;  // of its last report, by the node's clock
  int64_t step = 0;
  int64_t steps = 0;    // total; 0: not reported
  std::string refused;  // the last report that could not be parsed, and why
  StagingProgress staging;
  bool operator==(const LeaseProgress&) const = default;
};

// The complete state of the node as its agent sees it.
struct AgentReport {
  std::vector<LeaseObservation> leases;  // all of them
  std::vector<GpuObservation> gpus;
  std::vector<GpuReading> readings;     // by GPU, each with its age; empty: no GPU is watched
  std::vector<LeaseProgress> progress;  // of leases whose jobs report progress
  std::optional<std::vector<HeldImage>> images;  // nullopt: unchanged, or not known
};

// Shows that the agent is there, and that leases and GPUs are as last reported.
struct Heartbeat {
  std::vector<GpuReading> readings;     // empty: about the same as the last ones sent
  std::vector<LeaseProgress> progress;  // empty: unchanged
};

// Faults of GPUs, and results of GPU tasks.
struct GpuNews {
  std::vector<FaultSignal> signals;
  std::vector<GpuTaskResult> results;
};

// Pieces of the metrics of the node's jobs.
struct MetricParts {
  std::vector<MetricPart> parts;
};

// What has arrived since the last TakeNews.
struct LinkNews {
  bool broken = false;                    // the connection is over
  std::string why;                        // the reason, if `broken`
  std::optional<ControllerEpoch> probed;  // the answer to the probe
  uint64_t epoch = 0;                     // of the controller at the other end, with the news below
  uint64_t acknowledged = 0;   // newest message that the controller has acknowledged; 0: no new one
  uint64_t heartbeat = 0;      // newest heartbeat that the controller has answered; 0: no new one
  bool wants_report = false;   // the heartbeat renewed nothing: the controller needs a report
  Duration lease_time;         // of the leases that `acknowledged` or `heartbeat` renews
  Duration heartbeat_every;    // with `acknowledged`: the period; 0: the controller wants none
  bool takes_metrics = false;  // with `acknowledged`: MetricParts may be sent
  std::vector<MetricMark> metrics_kept;
  std::optional<NodeDesiredState> desired;  // complete; absent: unchanged
  // Not 0: the join is refused, because all attempts here belong to another journal.  The agent
  // must end them, take this lineage and join again.
  uint64_t foreign_to = 0;
};

// A connection to a controller.  It begins with a probe, which asks which controller that is.  From
// its join on it carries reports up, the complete desired state down, and channels that the
// controller requests.  It may break at any time.  Its destruction ends it.  One thread (the
// agent's) calls it.
class ControlConnection {
 public:
  virtual ~ControlConnection() = default;

  // All send in the background, and return the number of the message.
  virtual uint64_t Send(const JoinNode& join) = 0;
  virtual uint64_t Send(const AgentReport& report) = 0;
  // The controller acknowledges it when it is durable.
  virtual uint64_t Send(const GpuNews& news) = 0;
  virtual uint64_t Send(const Heartbeat& heartbeat) = 0;
  // The controller answers with metrics_kept; it does not acknowledge the message.
  virtual uint64_t Send(const MetricParts& parts) = 0;
  virtual LinkNews TakeNews() = 0;
};

// Connects the agent to its controllers.  One thread (the agent's) calls it.
class ControlLink {
 public:
  virtual ~ControlLink() = default;

  // Where controllers may be: at least one address.
  virtual const std::vector<std::string>& addresses() const = 0;
  // Starts a connection to one of them with a probe; does not wait.  The link outlives it.
  virtual std::unique_ptr<ControlConnection> Connect(size_t address) = 0;
  // Readable when a connection has news; owned by the link.
  virtual int EventDescriptor() const = 0;
  // Makes it unreadable; called before the news of all connections is taken.
  virtual void ClearEvent() = 0;
};

}  // namespace gp
