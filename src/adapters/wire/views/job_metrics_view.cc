#include "adapters/wire/views/job_metrics_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/time.h"

namespace gp {
namespace {

constexpr size_t kPointsOfAllMax = 200'000;

struct Sample {
  MetricPoint point;
  int attempt = 0;
};
using Curve = std::vector<Sample>;
using CurveKey = std::pair<std::string, int>;  // name and rank

std::map<CurveKey, Curve> CurvesOf(const std::vector<MetricRecords>& records,
                                   const MetricSelection& selection) {
  std::map<CurveKey, Curve> curves;
  for (const MetricRecords& of_rank : records) {
    for (const MetricPoint& point : of_rank.points) {
      if (selection.names.empty() || selection.names.contains(point.name))
        curves[{point.name, of_rank.source.rank}].push_back({point, of_rank.source.attempt});
    }
  }
  return curves;
}

Curve WithoutSuperseded(const Curve& curve) {
  Curve kept;
  int64_t limit = INT64_MAX;  // the first step of the attempts after this one
  int64_t first = INT64_MAX;  // of this attempt
  int attempt = curve.empty() ? 0 : curve.back().attempt;
  for (auto at = curve.rbegin(); at != curve.rend(); ++at) {
    if (at->attempt != attempt) limit = std::min(limit, std::exchange(first, INT64_MAX));
    attempt = at->attempt;
    first = std::min(first, at->point.step);
    if (at->point.step < limit) kept.push_back(*at);
  }
  std::ranges::reverse(kept);
  return kept;
}

// std::fmin and fmax ignore NaN.
void Join(const Sample& next, Sample& joined) {
  const MetricPoint before = joined.point;
  joined = next;
  joined.point.count += before.count;
  joined.point.min = std::fmin(before.min, next.point.min);
  joined.point.max = std::fmax(before.max, next.point.max);
}

Curve Thinned(const Curve& curve, size_t points_max) {
  if (curve.size() <= points_max) return curve;
  Curve thinned;
  for (size_t i = 0; i < curve.size(); ++i) {
    const size_t slot = i * points_max / curve.size();
    if (slot == thinned.size()) {
      thinned.push_back(curve[i]);
    } else {
      Join(curve[i], thinned.back());
    }
  }
  return thinned;
}

void ToMessage(const Sample& sample, v1::MetricCurvePoint* message) {
  const MetricPoint& point = sample.point;
  message->set_step(point.step);
  message->set_at(ToRfc3339(point.at, true));
  message->set_attempt(sample.attempt);
  message->set_count(point.count);
  if (std::isfinite(point.min)) message->set_min(point.min);
  if (std::isfinite(point.max)) message->set_max(point.max);
  if (std::isfinite(point.last)) {
    message->set_last(point.last);
  } else {
    message->set_not_finite(NotFiniteValueText(point.last));
  }
}

void AddSeries(const CurveKey& key, const Curve& curve, const MetricSelection& selection,
               size_t points_max, v1::GetJobMetricsReply* reply) {
  v1::MetricSeries* series = reply->add_series();
  series->set_name(key.first);
  series->set_rank(key.second);
  ToMessage(curve.back(), series->mutable_last());
  const Curve current = WithoutSuperseded(curve);
  for (auto at = current.rbegin(); at != current.rend() && !std::isfinite(at->point.last); ++at)
    series->set_not_finite_since(at->point.step);
  for (const Sample& sample : Thinned(selection.superseded ? curve : current, points_max))
    ToMessage(sample, series->add_points());
}

}  // namespace

void JobMetricsView(const std::vector<MetricRecords>& records, const MetricSelection& selection,
                    v1::GetJobMetricsReply* reply) {
  const auto curves = CurvesOf(records, selection);
  if (curves.empty()) return;
  // A message is at most some ten MiB, however many ranks report.
  const size_t points_max =
      std::min(selection.points_max, std::max<size_t>(1, kPointsOfAllMax / curves.size()));
  for (const auto& [key, curve] : curves) AddSeries(key, curve, selection, points_max, reply);
}

void NewPointsView(const std::vector<MetricRecords>& records, const std::set<std::string>& names,
                   v1::NewMetricPoints* message) {
  for (const auto& [key, curve] : CurvesOf(records, {names})) {
    v1::MetricSeries* series = message->add_series();
    series->set_name(key.first);
    series->set_rank(key.second);
    for (const Sample& sample : curve) ToMessage(sample, series->add_points());
  }
}

const char* NotFiniteValueText(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace gp
