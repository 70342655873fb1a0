#pragma once

// A cluster with habits: users who submit jobs of a few names, each name with a length of its own
// that strays, some with time limits that are much too long, as people set them.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "simulation/engine/engine.h"

namespace gp {

class LivedCluster {
 public:
  explicit LivedCluster(uint64_t seed);

  // Plays on; `arrivals`: users go on submitting.
  void RunUntil(Instant end, bool arrivals);
  // Until these have started, or nothing happens any more.
  void RunUntilStarted(const std::vector<JobId>& jobs, bool arrivals);

  const Engine& engine() const { return engine_; }
  // nullopt: it has not started.
  std::optional<Instant> StartOf(JobId job) const;

 private:
  struct Habit {
    std::string user;
    JobSpec spec;
    Duration median;
    Duration every;  // between submits, on average
    Instant next;
  };

  Habit DrawHabit(int number);
  Duration DrawLength(const Habit& habit);
  void Step(Instant next, bool arrivals);
  Instant NextInstant(bool arrivals) const;
  void SubmitDue();
  void FinishDue();
  void Pass();

  Rng rng_;
  Engine engine_;
  std::vector<Habit> habits_;
  std::map<JobId, Duration> lengths_;
  std::set<std::pair<Instant, JobId>> ends_;
  Instant look_again_at_;
};

}  // namespace gp
