#pragma once

// A queue of the tree: how its jobs stand against those of its siblings, and what they may hold.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gp {

inline const std::string kDefaultQueue = "default";  // always there
inline const std::string kDefaultPool = "default";

inline constexpr int kQueueWeightMax = 1000;
inline constexpr int64_t kQueueGpusMax = 10'000'000;
inline constexpr int64_t kQueueJobsMax = 100'000'000;
inline constexpr int64_t kQueueGpuHoursMax = 1'000'000'000;
inline constexpr size_t kQueueDepthMax = 8;
inline constexpr size_t kQueuesMax = 10'000;

// nullopt: no limit.
struct Quota {
  std::optional<int64_t> gpus;       // held at once
  std::optional<int64_t> jobs;       // running at once
  std::optional<int64_t> gpu_hours;  // in each period of Policy::usage_period
  bool operator==(const Quota&) const = default;
};

struct Queue {
  std::string name;  // path: "research/nlp"
  std::string pool = kDefaultPool;
  int weight = 1;           // of what its siblings share
  int64_t guaranteed = 0;   // GPUs that it can have at any time
  bool reclaimable = true;  // what it holds beyond them may be taken back
  Quota limit{};            // of all its jobs together
  Quota user_limit{};       // of each of its users
  Duration default_time{};  // the time limit of jobs that say none; 0: none
  Duration max_time{};      // no job may run longer; 0: any
  bool operator==(const Queue&) const = default;
};

// "": a queue at the top.
std::string ParentOf(const std::string& queue);

// kInvalidArgument names the field and what it may be.  What depends on other queues is not looked
// at.
Status ValidateQueue(const Queue& queue);

}  // namespace gp
