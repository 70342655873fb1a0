#include "simulation/world/timeline.h"

#include <algorithm>
#include <utility>

namespace gp {

void Timeline::At(Instant at, std::function<void()> what) {
  entries_.push_back({std::max(at, now_), orders_++, std::move(what)});
  std::push_heap(entries_.begin(), entries_.end(), std::greater<>());
}

bool Timeline::Step(Instant until) {
  if (entries_.empty() || entries_.front().at > until) {
    now_ = std::max(now_, until);
    return false;
  }
  std::pop_heap(entries_.begin(), entries_.end(), std::greater<>());
  const Entry entry = std::move(entries_.back());
  entries_.pop_back();
  now_ = entry.at;
  ++steps_;
  entry.what();
  return true;
}

}  // namespace gp
