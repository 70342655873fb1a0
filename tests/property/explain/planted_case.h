#pragma once

// A job that waits on a small cluster, for a cause that was planted.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "domain/explaining/explain.h"
#include "simulation/engine/engine.h"

namespace gp {

struct Planted {
  const char* cause;
  // The reason that must come first; kTurn: nothing keeps it waiting
  PendingKind reason = PendingKind::kTurn;
  std::optional<ChangeKind> helps = {};  // must be suggested
};
inline constexpr size_t kPlantedCauses = 12;

class PlantedCase {
 public:
  explicit PlantedCase(uint64_t seed);

  Planted Plant();
  const Job& job() const { return *engine_.state().FindJob(job_); }
  const State& state() const { return engine_.state(); }
  Instant now() const { return engine_.now(); }
  Explanation Explained() const { return Explain(engine_.state(), engine_.now(), job()); }

  // Whether the job, changed so, starts.
  bool StartsWith(const Change& change) const;
  bool StartsWith(const std::function<void(JobSpec&)>& edit) const;

 private:
  bool Starts(Engine& trial, JobSpec spec, const std::string& queue,
              const std::vector<JobId>& interrupts) const;
  bool StartsAfterMoves(const std::vector<JobId>& moves) const;

  static JobSpec Spec(int gpus);
  JobId Submit(const JobSpec& spec, const User& user);
  JobId Run(const JobSpec& spec);
  void Wait(const JobSpec& spec);
  void Reserve(int nodes, Duration from_now, Duration lasts, const std::string& user);
  int Nodes() const { return static_cast<int>(engine_.state().nodes.all.size()); }
  int FreeOn(const Node& node) const;
  int Free() const;
  int MostFree() const;
  void Fill(int gpus_left_max);

  Planted PlantHardware();
  Planted PlantAway();
  Planted PlantQuota();
  Planted PlantCapacity();
  Planted PlantTopology();
  Planted PlantHost();
  Planted PlantKept();
  Planted PlantReservation();
  Planted PlantLongBeforeReservation();
  Planted PlantLongInReservation();
  Planted PlantLongBeforeStart();
  Planted PlantFragments();

  Rng rng_;
  Engine engine_;
  JobId job_;
};

}  // namespace gp
