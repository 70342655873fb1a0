#include "application/agent/staging_rates.h"

#include <algorithm>
#include <string>

namespace gp {
namespace {

constexpr int64_t kSampleEveryNs = Duration::Seconds(1).ns;
constexpr int64_t kWindowNs = Duration::Seconds(30).ns;
constexpr int64_t kKnownAfterNs = Duration::Seconds(2).ns;  // a shorter time says too little
constexpr int64_t kLeftMaxSeconds = int64_t{30} * 24 * 3600;

}  // namespace

void StagingRates::AddTimeLeft(std::vector<LeaseProgress>& progress, int64_t now_ns) {
  std::erase_if(watched_, [&](const auto& one) {
    const auto found = std::ranges::find(progress, one.first, &LeaseProgress::lease);
    return found == progress.end() || found->staging.what != one.second.what;
  });
  for (LeaseProgress& one : progress) {
    if (one.staging.what.empty()) continue;
    Watched& watched = watched_[one.lease];
    watched.what = one.staging.what;
    Add(one.staging, now_ns, watched);
    one.staging.left = TimeLeft(one.staging, now_ns, watched);
  }
}

void StagingRates::Add(const StagingProgress& now, int64_t now_ns, Watched& watched) {
  std::deque<Sample>& samples = watched.samples;
  if (!samples.empty() && now.bytes < samples.back().bytes) samples.clear();  // it begins again
  if (samples.empty() || now_ns - samples.back().at_ns >= kSampleEveryNs)
    samples.push_back({now_ns, now.bytes});
  while (now_ns - samples.front().at_ns > kWindowNs && samples.size() > 1) samples.pop_front();
}

Duration StagingRates::TimeLeft(const StagingProgress& now, int64_t now_ns,
                                const Watched& watched) {
  const Sample& oldest = watched.samples.front();
  const int64_t span_ms = (now_ns - oldest.at_ns) / 1'000'000;
  const int64_t left = now.bytes_total - now.bytes;
  if (left <= 0 || now_ns - oldest.at_ns < kKnownAfterNs) return {};
  const int64_t bytes_per_second = (now.bytes - oldest.bytes) * 1'000 / span_ms;
  if (bytes_per_second <= 0) return {};
  const int64_t seconds = left / bytes_per_second + 1;
  return seconds > kLeftMaxSeconds ? Duration{} : Duration::Seconds(seconds);
}

}  // namespace gp
