#include "domain/explaining/names.h"

#include <algorithm>

namespace gp {

std::string Names(const std::vector<JobId>& jobs) {
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < std::min(jobs.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + ToText(jobs[i]);
  return jobs.size() > kShown ? text + " and " + std::to_string(jobs.size() - kShown) + " more"
                              : text;
}

}  // namespace gp
