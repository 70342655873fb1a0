#include "simulation/run/level_series.h"

#include <algorithm>

namespace gp {

void LevelSeries::Extend(Instant until, double level) {
  while (until - begin_ > span_ * static_cast<int64_t>(kLevelPointsMax)) Fold();
  if (level == 0) until_ = std::max(until_, until);
  while (until_ < until) {
    const auto at = static_cast<size_t>((until_ - begin_).ns / span_.ns);
    const Instant end = std::min(until, begin_ + span_ * static_cast<int64_t>(at + 1));
    if (sums_.size() <= at) sums_.resize(at + 1, 0.0);
    sums_[at] += level * static_cast<double>((end - until_).ns);
    until_ = end;
  }
}

void LevelSeries::Fold() {
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (i % 2 == 0) {
      sums_[i / 2] = sums_[i];
    } else {
      sums_[i / 2] += sums_[i];
    }
  }
  sums_.resize((sums_.size() + 1) / 2);
  span_ = span_ * 2;
}

std::vector<double> LevelSeries::Means(Instant end) const {
  const auto points = static_cast<size_t>(((end - begin_).ns + span_.ns - 1) / span_.ns);
  std::vector<double> means(points, 0.0);
  for (size_t i = 0; i < std::min(points, sums_.size()); ++i) {
    const Instant from = begin_ + span_ * static_cast<int64_t>(i);
    const Instant to = std::min(until_, from + span_);
    if (to > from) means[i] = sums_[i] / static_cast<double>((to - from).ns);
  }
  return means;
}

}  // namespace gp
