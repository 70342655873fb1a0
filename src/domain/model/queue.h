#pragma once

// A queue in the tree: its weight among its siblings, and its limits.

#include <cstdint>
#include <optional>
#include <string>

#include "base/fields.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/model/jobs/network_access.h"

namespace gp {

inline const std::string kDefaultQueue = "default";  // always exists
inline const std::string kDefaultPool = "default";

inline constexpr int kQueueWeightMax = 1000;
inline constexpr int64_t kQueueGpusMax = 10'000'000;
inline constexpr int64_t kQueueJobsMax = 100'000'000;
inline constexpr int64_t kQueueCpusMax = 1'000'000'000;
inline constexpr int64_t kQueueMemoryMiBMax = 1'000'000'000'000;
inline constexpr int64_t kQueueGpuHoursMax = 1'000'000'000;
inline constexpr size_t kQueueDepthMax = 8;
inline constexpr size_t kQueuesMax = 10'000;

// nullopt: no limit.
struct Quota {
  std::optional<int64_t> gpus;        // held at once
  std::optional<int64_t> jobs;        // running at once
  std::optional<int64_t> gpu_hours;   // in each period of Policy::usage_period
  std::optional<int64_t> cpus;        // reserved cores, held at once
  std::optional<int64_t> memory_mib;  // of hosts, held at once
  bool operator==(const Quota&) const = default;
};
GP_FIELDS(Quota, v.gpus, v.jobs, v.gpu_hours, Since<19>(v.cpus), Since<19>(v.memory_mib))

struct Queue {
  std::string name;  // path: "research/nlp"
  std::string pool = kDefaultPool;
  int weight = 1;                                // among its siblings
  int64_t guaranteed = 0;                        // GPUs that its jobs can have at any time
  bool reclaimable = true;                       // usage above the guarantee may be reclaimed
  Quota limit{};                                 // for all of its jobs together
  Quota user_limit{};                            // for each of its users
  Duration default_time{};                       // for jobs without a time limit; 0: none
  Duration max_time{};                           // longest time limit of a job; 0: any
  int64_t min_gpus = 0;                          // fewest GPUs of a job, on all its nodes
  Duration wait_target{};                        // how soon its jobs should start; 0: no target
  NetworkAccess network = NetworkAccess::kHost;  // kNone: its jobs have no other
  bool operator==(const Queue&) const = default;
};
GP_FIELDS(Queue, v.name, v.pool, v.weight, v.guaranteed, v.reclaimable, v.limit, v.user_limit,
          Since<17>(v.default_time), Since<17>(v.max_time), Since<19>(v.min_gpus),
          Since<19>(v.wait_target), Since<20>(v.network))

// "": a top-level queue.
std::string ParentOf(const std::string& queue);

// kInvalidArgument: the message says which field is wrong and what is allowed. Does not check
// against other queues.
Status ValidateQueue(const Queue& queue);

}  // namespace gp
