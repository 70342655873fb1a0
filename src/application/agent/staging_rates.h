#pragma once

#include <deque>
#include <map>
#include <vector>

#include "domain/model/ids.h"
#include "ports/outbound/control_link.h"

namespace gp {

// How fast what leases stage or copy goes, over the last half minute.  One thread (the agent's)
// calls it.
class StagingRates {
 public:
  // Adds the time that each still takes, where that is known.  `progress`: of all leases.
  void AddTimeLeft(std::vector<LeaseProgress>& progress, int64_t now_ns);

 private:
  struct Sample {
    int64_t at_ns = 0;
    int64_t bytes = 0;
  };
  struct Watched {
    std::string what;
    std::deque<Sample> samples;  // the oldest first
  };
  static void Add(const StagingProgress& now, int64_t now_ns, Watched& watched);
  static Duration TimeLeft(const StagingProgress& now, int64_t now_ns, const Watched& watched);

  std::map<LeaseId, Watched> watched_;
};

}  // namespace gp
