#include "application/agent/metric_feed.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

// Heartbeats wait behind a message on the same connection.
constexpr int64_t kMessageBytesMax = 64 << 10;
constexpr size_t kPartsMax = 16;
constexpr int64_t kPartBytesMin = 4 << 10;  // far more than a line
constexpr int64_t kEveryNs = 1'000'000'000;
constexpr int64_t kAgainNs = 30'000'000'000;
// Of ranks that have ended and whose rest no controller takes.
constexpr size_t kSourcesMax = 10'000;

}  // namespace

void MetricFeed::Watch(const std::map<MetricSource, bool>& ranks) {
  for (auto& [source, progress] : sources_) progress.is_running = false;
  for (const auto& [source, is_running] : ranks) sources_[source].is_running = is_running;
  for (auto one = sources_.begin(); sources_.size() > kSourcesMax && one != sources_.end();)
    one = one->second.is_running ? std::next(one) : sources_.erase(one);
}

void MetricFeed::Begin() {
  is_allowed_ = waits_ = false;
  for (auto& [source, progress] : sources_) progress.kept.reset();
}

void MetricFeed::TakeKept(const std::vector<MetricMark>& kept) {
  if (!kept.empty()) waits_ = false;
  for (const MetricMark& mark : kept) {
    const auto known = sources_.find(mark.source);
    if (known != sources_.end() && mark.end >= 0) known->second.kept = mark.end;
  }
}

// Only whole lines: the supervisor may be writing the last one.
Result<std::optional<MetricPart>> MetricFeed::PartOf(const MetricSource& source,
                                                     const Progress& progress,
                                                     int64_t bytes_max) const {
  const int64_t from = progress.kept.value_or(0);
  const LogSlice slice = GP_TRY(files_.Read(path_of_(source), from, bytes_max));
  if (slice.offset != from) return std::nullopt;
  const std::string whole = slice.bytes.substr(0, slice.bytes.rfind('\n') + 1);
  if (whole.empty()) return std::nullopt;
  return MetricPart{source, from, progress.kept ? whole : ""};
}

std::optional<MetricParts> MetricFeed::Next(int64_t boot_ns) {
  if (!is_allowed_ || boot_ns < next_ns_ || (waits_ && boot_ns < again_ns_)) return std::nullopt;
  next_ns_ = boot_ns + kEveryNs;
  MetricParts parts;
  int64_t bytes_left = kMessageBytesMax;
  auto one = sources_.upper_bound(last_);
  for (size_t left = sources_.size();
       left > 0 && parts.parts.size() < kPartsMax && bytes_left >= kPartBytesMin; --left) {
    if (one == sources_.end()) one = sources_.begin();
    last_ = one->first;
    auto part = PartOf(one->first, one->second, bytes_left);
    // All of a rank that has ended is kept, or it never reported any.
    const bool is_done = part && !*part && !one->second.is_running;
    if (part && *part) {
      bytes_left -= static_cast<int64_t>((*part)->bytes.size());
      parts.parts.push_back(**std::move(part));
    }
    one = is_done ? sources_.erase(one) : std::next(one);
  }
  if (parts.parts.empty()) return std::nullopt;
  waits_ = true;
  again_ns_ = boot_ns + kAgainNs;
  return parts;
}

}  // namespace gp
