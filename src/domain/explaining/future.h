#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/explaining/guesses.h"
#include "domain/scheduling/planner.h"

namespace gp {

// Its agent does not report, so the end of the job is not known.
bool IsOnLostNode(const State& state, const Job& job);

// One possible future: the engine itself plays forward in virtual time until a job is placed.  No
// further jobs are submitted, nothing fails, and a job that must stop does so at once.  It owns its
// copy of the state, so it may run on any thread.
class Future {
 public:
  enum class Outcome {
    kPlaced,
    kUnknown,  // the jobs that hold the GPUs have no known end
    kWaitsOn,  // all running jobs have ended, and it is still pending
    kTooFar,   // it does not start before the horizon
    kTooManySteps,
  };

  // `planner`: one that has planned for `state`, or a new one.
  Future(State state, Planner planner, Instant at, const Lengths& lengths, int play);

  // Each job end, and each equivalence class that a pass examines, takes one step from `budget`.
  Outcome PlayUntilPlaced(JobId job, Instant horizon, int64_t& budget);

  Instant now() const { return now_; }
  const State& state() const { return state_; }
  // After kUnknown: the jobs that hold GPUs and have no known end.
  const std::vector<JobId>& endless() const { return unknown_; }
  // The groups of finished jobs whose lengths were used, and whether time limits were used.
  const std::set<const AlikeRuns*>& consulted() const { return guesses_.consulted(); }
  bool used_limits() const { return used_limits_; }

 private:
  std::vector<Event> Execute(Command command);
  void Settle(int64_t& budget);
  void Started(JobId job);
  void Report(JobId job, std::optional<LeaseEnd> end);
  void StopAll(const std::vector<JobId>& jobs);
  // kNever: not known.
  Instant EndOf(const Job& job);
  void ExpectEnd(const Job& job);
  void FinishDue(int64_t& budget);
  void TickIfDue();
  std::vector<JobId> Endless() const;
  bool StartsWhenAllEnd(JobId job, int attempt, int64_t& budget);
  Instant NextInstant() const;

  State state_;
  Planner planner_;
  Instant now_;
  Guesses guesses_;
  bool used_limits_ = false;
  // In total, for each job that had a placement; nullopt: not known.
  std::map<JobId, std::optional<Duration>> work_;
  std::set<std::pair<Instant, JobId>> ends_;
  std::map<JobId, Instant> end_of_;
  std::set<JobId> endless_;
  std::vector<JobId> unknown_;
  Instant look_again_at_;
};

}  // namespace gp
