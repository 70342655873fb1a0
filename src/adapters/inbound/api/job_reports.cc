#include "adapters/inbound/api/job_reports.h"

#include <algorithm>
#include <cmath>

#include "adapters/wire/views/job_metrics_view.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kReportPieceBytes = 1 << 20;
// More than honest nodes send of a job of a thousand ranks.
constexpr size_t kCurvesMax = 100'000;
constexpr size_t kLinkNamesMax = 10'000;
constexpr size_t kLinksOfJobMax = 8;
constexpr size_t kNotFiniteMax = 64;

}  // namespace

std::vector<AttemptNodes> NodesOfAttempts(const Job& job) {
  std::vector<AttemptNodes> attempts;
  attempts.reserve(job.attempts.size());
  for (const AttemptRecord& attempt : job.attempts) {
    AttemptNodes& one = attempts.emplace_back();
    one.attempt = attempt.number;
    one.nodes.reserve(attempt.ranks.size());
    for (const RankRecord& rank : attempt.ranks) one.nodes.push_back(rank.node);
  }
  return attempts;
}

MetricPlaces MetricPlacesOf(JobId job, const std::vector<AttemptNodes>& attempts) {
  MetricPlaces places;
  for (const AttemptNodes& one : attempts) {
    for (size_t rank = 0; rank < one.nodes.size(); ++rank)
      places.insert({{job, one.attempt, static_cast<int>(rank)}, one.nodes[rank]});
  }
  return places;
}

std::string NotFiniteText(const v1::Job& job) {
  std::vector<std::string> texts;
  for (const v1::NotFiniteMetric& one : job.not_finite())
    texts.push_back(one.name() + " is " + one.value() + " since step " +
                    std::to_string(one.since()));
  return Join(texts, ", ");
}

// A later attempt resumes at an earlier step: what it computes again is no part of the curve.
// Points of a lost node that come after those of the next attempt change nothing.
void JobReports::TakePoint(const MetricSource& source, const MetricPoint& point, Seen& seen) {
  const std::pair key(point.name, source.rank);
  const auto known = seen.curves.find(key);
  if (known == seen.curves.end() && seen.curves.size() >= kCurvesMax) return;
  Curve& curve = known == seen.curves.end() ? seen.curves[key] : known->second;
  if (source.attempt < curve.attempt) return;
  if (source.attempt > curve.attempt && curve.since >= point.step) curve.since.reset();
  curve.attempt = source.attempt;
  curve.last = point.last;
  if (std::isfinite(point.last)) {
    curve.since.reset();
  } else if (!curve.since) {
    curve.since = point.step;
  }
}

// Of several links with one name, that of the newest attempt counts, and of its first rank.
void JobReports::TakeLink(const MetricSource& source, const JobLink& link, Seen& seen) {
  const auto known = seen.links.find(link.name);
  if (known == seen.links.end()) {
    if (seen.links.size() < kLinkNamesMax)
      seen.links[link.name] = {source.attempt, source.rank, link.url};
    return;
  }
  Link& before = known->second;
  if (std::pair(source.attempt, -source.rank) >= std::pair(before.attempt, -before.rank))
    before = {source.attempt, source.rank, link.url};
}

void JobReports::Take(const std::vector<MetricRecords>& records, const MetricPlaces& places,
                      Seen& seen) {
  for (const MetricRecords& one : records) {
    if (!seen.cursor.Pass(one, places)) continue;
    for (const MetricPoint& point : one.points) TakePoint(one.source, point, seen);
    for (const JobLink& link : one.links) TakeLink(one.source, link, seen);
  }
}

v1::Job JobReports::ToMessage(const Seen& seen) {
  v1::Job message;
  std::map<std::string, v1::NotFiniteMetric*> by_name;
  for (const auto& [key, curve] : seen.curves) {
    if (!curve.since) continue;
    const auto& [name, rank] = key;
    v1::NotFiniteMetric*& one = by_name[name];
    if (one == nullptr && by_name.size() > kNotFiniteMax) break;
    if (one == nullptr) {
      one = message.add_not_finite();
      one->set_name(name);
      one->set_value(NotFiniteValueText(curve.last));
      one->set_since(*curve.since);
      one->set_rank(rank);
    }
    one->set_ranks(one->ranks() + 1);
  }
  std::vector<std::pair<std::string, Link>> links(seen.links.begin(), seen.links.end());
  std::ranges::stable_sort(links, {}, [](const auto& one) { return one.second.rank; });
  links.resize(std::min(links.size(), kLinksOfJobMax));
  for (const auto& [name, link] : links) {
    v1::JobLink* one = message.add_links();
    one->set_name(name);
    one->set_url(link.url);
  }
  return message;
}

std::shared_ptr<const JobReports::Seen> JobReports::Recall(JobId job) {
  const std::lock_guard lock(mutex_);
  const auto known = jobs_.find(job);
  if (known == jobs_.end()) return std::make_shared<Seen>();
  known->second.used = ++uses_;
  return known->second.seen;
}

void JobReports::Remember(JobId job, std::shared_ptr<const Seen> seen) {
  const std::lock_guard lock(mutex_);
  jobs_[job] = {std::move(seen), ++uses_};
  if (jobs_.size() > kJobsMax)
    jobs_.erase(
        std::ranges::min_element(jobs_, {}, [](const auto& one) { return one.second.used; }));
}

Result<v1::Job> JobReports::Of(JobId job, const MetricPlaces& places, size_t bytes_max) {
  if (store_ == nullptr || places.empty()) return v1::Job();
  std::shared_ptr<const Seen> seen = Recall(job);
  std::shared_ptr<Seen> next;
  if (seen->cursor.MustGoBack(places)) {
    next = std::make_shared<Seen>(*seen);
    next->cursor.GoBack(places);
  }
  for (size_t bytes = 0; bytes < bytes_max; bytes += kReportPieceBytes) {
    const MetricEnds& ends = next ? next->cursor.ends() : seen->cursor.ends();
    const auto records = GP_TRY(store_->ReadAfter(job, ends, kReportPieceBytes));
    if (records.empty()) break;
    if (!next) next = std::make_shared<Seen>(*seen);
    Take(records, places, *next);
  }
  if (!next) return ToMessage(*seen);
  Remember(job, next);
  return ToMessage(*next);
}

}  // namespace gp
