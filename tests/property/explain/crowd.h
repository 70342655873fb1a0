#pragma once

// A small cluster full of jobs, and one that waits: its possible victims are tried out, every set
// of them.

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/rng.h"
#include "domain/scheduling/victims/find_victims.h"
#include "simulation/engine/engine.h"

namespace gp {

struct CrowdKind {
  int nodes_min = 1;
  int nodes_max = 3;
  bool gang = false;        // the one that waits, and most of those that run
  bool guarantees = false;  // some of the queues have them
  int jobs = 12;            // that are tried to run; every set of more is too many
  int ranks_max = 3;        // of the one that waits
};

class Crowd {
 public:
  explicit Crowd(uint64_t seed, const CrowdKind& kind = {});

  const State& state() const { return engine_.state(); }
  const Engine& engine() const { return engine_; }
  const Job& job() const { return *state().FindJob(job_); }
  bool FitsNow() const { return Fits({}); }
  std::optional<Victims> Found() const;

  // The least (highest priority, GPUs interrupted, jobs, sum of priorities) of all sets that make
  // room and that may be taken.
  using Cost = std::tuple<int, int64_t, size_t, int64_t>;
  std::optional<Cost> Least() const;
  // Whether any set makes room, where all who may leave may leave together.
  bool AnySet() const { return Fits(Takeable()); }
  Cost CostOf(const std::vector<const Job*>& jobs) const;
  std::vector<const Job*> JobsOf(const Victims& victims) const;

  // Whether there is room for the whole job, anywhere, when these have gone.
  bool Fits(const std::vector<const Job*>& gone) const;

 private:
  std::vector<const Job*> Takeable() const;
  bool MayPreemptAll(const std::vector<const Job*>& jobs) const;
  JobId Submit(int gpus, int nodes, int priority, bool preemptible, const std::string& queue);
  std::string Queue();

  CrowdKind kind_;
  Rng rng_;
  Engine engine_;
  std::vector<JobId> running_;
  JobId job_;
};

}  // namespace gp
