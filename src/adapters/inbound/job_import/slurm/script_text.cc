#include "adapters/inbound/job_import/slurm/script_text.h"

#include <iterator>

namespace gp {

// From the last to the first, so that earlier offsets stay valid.
void ScriptText::Apply() {
  std::ranges::stable_sort(changes_, {}, &Change::begin);
  std::vector<Change> apart;
  for (Change& change : changes_) {
    if (apart.empty() || change.begin >= apart.back().end) apart.push_back(std::move(change));
  }
  std::ranges::reverse(apart);
  for (const Change& change : apart) {
    const size_t first = IndexAt(change.begin), last = IndexAt(change.end);
    const std::string rest = lines_[last].text.substr(change.end - begins_[last]);
    lines_[first].text =
        lines_[first].text.substr(0, change.begin - begins_[first]) + change.with + rest;
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                 lines_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }
}

}  // namespace gp
