#pragma once

// How long jobs of each queue waited: one bar for each queue, on an axis with growing steps.

#include <map>
#include <string>
#include <vector>

namespace gp {

inline constexpr size_t kWaitRowsMax = 20;

struct QueueWaits {
  std::string queue;
  std::vector<double> seconds;  // one for each job
};

// `high_s` is where the axis ends.
std::string DrawWaitPlot(const std::string& label, const std::vector<QueueWaits>& queues,
                         double high_s, double width);

}  // namespace gp
