#pragma once

// One way in which things may go on: the engine itself, forward in virtual time, until a job has
// its place.  Nobody submits any more, nothing breaks, whoever is told to stop does so at once.

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

// Nobody hears from it, so nobody knows when it ends.
bool IsOnLostNode(const State& state, const Job& job);

class Future {
 public:
  enum class Outcome {
    kPlaced,
    kUnknown,  // whoever holds on has no end that is known
    kWaitsOn,  // all that run have ended, and it still waits
    kTooFar,   // not before the horizon
    kTooManySteps,
  };

  // `planner`: of `state`, or a new one.
  Future(State state, Planner planner, Instant at, const Lengths& lengths, int play);

  // `steps` are taken from the budget: ends, and lines of the queue that are looked at.
  Outcome PlayUntilPlaced(JobId job, Instant horizon, int64_t& budget);

  Instant now() const { return now_; }
  const State& state() const { return state_; }
  // kUnknown: who holds a place and has no end that is known.
  const std::vector<JobId>& endless() const { return unknown_; }
  // From which finished jobs lengths were taken; whether time limits had a say.
  const std::set<const AlikeRuns*>& consulted() const { return guesses_.consulted(); }
  bool used_limits() const { return used_limits_; }

 private:
  std::vector<Event> Execute(Command command);
  void Settle(int64_t& budget);
  void Started(JobId job);
  void Report(JobId job, std::optional<LeaseEnd> end);
  void StopAll(const std::vector<JobId>& jobs);
  // kNever: nothing tells.
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
  std::map<JobId, std::optional<Duration>> work_;  // in all, of whoever has had a place
  std::set<std::pair<Instant, JobId>> ends_;
  std::map<JobId, Instant> end_of_;
  std::set<JobId> endless_;
  std::vector<JobId> unknown_;
  Instant look_again_at_;
};

}  // namespace gp
