#pragma once

// The time of GPUs counted plainly, GPU by GPU and millisecond by millisecond: what the book must
// come to.

#include <map>
#include <string>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// Thousandths of a GPU times milliseconds, and that times the price of an hour in millionths.
struct PlainUse {
  Wide time = 0;
  Wide money = 0;

  void Add(Wide more, int64_t price) {
    time += more;
    money += more * price;
  }
  bool operator==(const PlainUse&) const = default;
};

struct PlainJob {
  PlainUse had;
  PlainUse unsaved;   // of that, since it wrote something to go on from
  PlainUse repeated;  // thrown away by faults, and no longer in `had`
};

class PlainMeter {
 public:
  // From the one instant to the other nothing changes.
  void Count(const State& state, Instant from, Instant until);
  void Hear(const std::vector<Event>& events);

  const std::map<JobId, PlainJob>& jobs() const { return jobs_; }
  const std::map<UsageKind, PlainUse>& kinds() const { return kinds_; }
  const PlainUse& all() const { return all_; }

 private:
  void CountGpu(const State& state, const Node& node, size_t gpu, int64_t milliseconds);
  void End(JobId job, EndClass end);

  std::map<JobId, PlainJob> jobs_;
  std::map<UsageKind, PlainUse> kinds_;
  PlainUse all_;
};

}  // namespace gp
