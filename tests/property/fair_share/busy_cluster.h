#pragma once

// Days and weeks of a full cluster in virtual time, played by the production engine: users who
// never run out of jobs, of 1 to 8 GPUs for minutes to hours.  A job that is stopped ends at
// once.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "simulation/engine/engine.h"

namespace gp {

class BusyCluster {
 public:
  static constexpr int kNodes = 8;
  static constexpr int kGpusPerNode = 8;
  static constexpr int kMinutesMin = 5;
  static constexpr int kMinutesMax = 240;

  struct Demand {
    std::string queue;
    std::string user;
    bool preemptible = false;
    int priority = 500;
  };

  explicit BusyCluster(uint64_t seed);

  void SetQueue(const std::string& name, int weight, int64_t guaranteed = 0);
  // From now on the user never runs out of jobs there.
  void KeepBusy(Demand demand) { demands_.push_back(std::move(demand)); }
  JobId Submit(const Demand& demand);
  void RunUntil(Instant end);

  Instant now() const { return engine_.now(); }
  Engine& engine() { return engine_; }
  Rng& rng() { return rng_; }
  // How long it runs without interruption.
  Duration LengthOf(JobId job) const { return lengths_.at(job); }

  // Of the faded use of these siblings.
  double ShareOf(const std::string& queue, const std::vector<std::string>& siblings) const;
  int64_t HeldBy(const std::string& queue) const;

 private:
  int64_t UseOf(const std::string& queue) const;
  void Refill();
  void Pass();
  Instant NextInstant() const;

  Rng rng_;
  Engine engine_;
  std::vector<Demand> demands_;
  std::map<JobId, Duration> lengths_;
  std::set<std::pair<Instant, JobId>> ends_;
  Instant look_again_at_;
};

}  // namespace gp
