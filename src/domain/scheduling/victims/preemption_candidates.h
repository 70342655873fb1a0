#pragma once

// Which jobs a job may preempt, updated as a pass goes on.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state/state.h"

namespace gp {

// The running jobs that may be preempted, looked up once in a pass. Not thread-safe.
class PreemptionCandidates {
 public:
  PreemptionCandidates(const State& state, Instant at);

  struct Eligible {
    std::vector<Contender> victims;
    // When time alone may make more jobs eligible; ns == 0: never.
    Instant next;
  };
  // The jobs that this job may preempt. Valid until the next call of Preempt.
  const Eligible& For(const Job& job);
  const Preemptions& preemptions() const { return preemptions_; }
  Instant at() const { return at_; }
  // The pass evicts the victim for the job.
  void Preempt(const Job& by, JobId victim);
  // The pass places the job without evicting others.
  void CountPlaced(const Job& job);

 private:
  const State& state_;
  const Instant at_;
  // Job class, service level, preemptible, queue and pool: without guarantees, jobs that agree in
  // these may preempt the same jobs.
  using Key = std::tuple<int, int, bool, std::string, std::string>;
  Eligible ComputeEligible(const Job& job);
  // The jobs of one class in a pool: State::evictable, in order of id.
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
