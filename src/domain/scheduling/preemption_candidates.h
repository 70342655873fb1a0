#pragma once

// Whose places a job may take, as a pass goes on.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state.h"

namespace gp {

// The running jobs that may give way, looked up once for a pass.
class PreemptionCandidates {
 public:
  PreemptionCandidates(const State& state, Instant at);

  struct Eligible {
    std::vector<Contender> victims;
    // When there may be more, by time alone; ns == 0: never.
    Instant next;
  };
  // Whose place the job may take.  Stays valid until somebody's is taken.
  const Eligible& For(const Job& job);
  const Preemptions& preemptions() const { return preemptions_; }
  Instant at() const { return at_; }
  // The victim is told to leave for the job.
  void Preempt(const Job& by, JobId victim);
  // The job gets a place without interrupting anybody.
  void CountPlaced(const Job& job);

 private:
  const State& state_;
  const Instant at_;
  // What decides for most jobs; with guarantees each one's own case.
  using Key = std::tuple<int, int, bool, std::string, std::string>;
  Eligible WorkOut(const Job& job);
  // Those of one class in a pool: State::yielding, in order of id.
  struct Group {
    std::vector<Contender> contenders;
    int highest_level = 0;
  };
  const Group& Of(const PoolClass& pool_class);

  std::map<PoolClass, Group> groups_;
  std::map<Key, Eligible> known_;
  Preemptions preemptions_;
};

}  // namespace gp
