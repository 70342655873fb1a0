#pragma once

// A cluster and what happens in it, invented or partly recorded (docs/reference/scenario_file.md).

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/cluster/command.h"
#include "simulation/run/recorded_run.h"
#include "simulation/scenario/draws.h"
#include "simulation/scenario/trace_workload.h"

namespace gp {

inline constexpr int64_t kScenarioNodesMax = 100'000;
inline constexpr int64_t kScenarioJobsMax = 1'000'000;
inline constexpr Duration kScenarioSpanMax = Duration::Minutes(3'650 * 24 * 60);

// 21,000 days after 1970, so that periods of 1, 7 or 30 days begin with the scenario: 1 July 2027.
inline constexpr Instant kScenarioBegin = Instant{} + Duration::Minutes(21'000 * 24 * 60);

// Equal nodes, called NAME-1, NAME-2, …
struct NodeGroup {
  std::string name = "node";
  std::shared_ptr<const NodeFacts> facts;  // of each node, except for names
  int64_t count = 1;
  std::optional<std::string> pool;
  std::map<std::string, std::string> labels;
};

// Equal jobs, one after the other.
struct JobGroup {
  std::shared_ptr<const JobSpec> spec;
  User user;
  Duration at;  // of the first
  std::optional<Draw> every;
  std::optional<int64_t> count;  // none: until the end of the scenario
  Draw length;
  Duration checkpoint_every;  // 0: none
};

// Recorded jobs.  `spec` gives all their properties except the number of GPUs.
struct TraceGroup {
  TraceWorkload workload;
  std::shared_ptr<const JobSpec> spec;
  User user;
  Duration at;
  // The arrival rate is scaled to this percentage of the GPU time of the scenario's nodes; none:
  // the jobs arrive at the times of the trace.
  std::optional<int64_t> load_percent;
  Duration checkpoint_every;
};

// The recorded run of a real cluster, with its queues and its users' commands.
struct JournalGroup {
  RecordedRun run;
  bool nodes = true;  // false: without its nodes
};

enum class NodeDeed { kDrain, kOffline, kOnline, kLose, kReturn, kDeclareLost };
struct NodeEvent {
  NodeDeed deed = NodeDeed::kDrain;
  std::string node;
  bool force = false;
};

struct PoolEvent {
  std::string node;
  std::string pool;
};

enum class JobDeed { kCancel, kHold, kRelease, kSetPriority };
struct JobEvent {
  JobDeed deed = JobDeed::kCancel;
  std::string job;  // NAME, or NAME-3 for the third job of a group
  int priority = 0;
};

struct ScenarioEvent {
  Duration at;
  std::variant<NodeEvent, PoolEvent, JobEvent, SetQueue> what;
};

struct Scenario {
  uint64_t seed = 1;
  std::function<void(Policy&)> policy;  // changes the default policy; empty: unchanged
  std::vector<NodeGroup> nodes;
  std::vector<SetQueue> queues;
  std::vector<JobGroup> jobs;
  std::vector<TraceGroup> traces;
  std::optional<JournalGroup> journal;
  std::vector<ScenarioEvent> events;
  std::optional<Duration> until;
  Duration resume_cost = Duration::Seconds(60);
};

}  // namespace gp
