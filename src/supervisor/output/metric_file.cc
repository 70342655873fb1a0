#include "supervisor/output/metric_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>

#include "supervisor/records/job_link.h"
#include "supervisor/records/metric_record.h"

namespace gp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kSpacingMax = 60 * kSecond;
constexpr int64_t kPointsPerAge = 1'000;
// With each further part of this size the points become half as many.
constexpr int64_t kBytesPerDoubling = 4 << 20;
constexpr int64_t kDoublingsMax = 16;
constexpr int kLinksWrittenMax = 64;

void Add(MetricPoint& point, double value) {
  if (point.count++ == 0) point.min = point.max = std::numeric_limits<double>::quiet_NaN();
  // These ignore NaN.
  point.min = std::fmin(point.min, value);
  point.max = std::fmax(point.max, value);
  point.last = value;
}

}  // namespace

MetricFile::MetricFile(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  directory_.Reset(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory_.valid()) directory_error_ = errno;
  name_ = slash == std::string::npos ? path : path.substr(slash + 1);
}

int64_t MetricFile::Spacing(int64_t boot_ns) const {
  const int64_t spacing = std::clamp((boot_ns - began_ns_) / kPointsPerAge, kSecond, kSpacingMax);
  return spacing << std::min(bytes_ / kBytesPerDoubling, kDoublingsMax);
}

bool MetricFile::Take(const std::string& name, int64_t step, double value, const Moment& now) {
  if (began_ns_ == 0) began_ns_ = now.boot_ns;
  const bool is_new = !series_.contains(name);
  if (is_new && series_.size() >= kMetricsMax) return false;
  Series& series = series_[name];
  MetricPoint& point = series.point;
  point.name = name;
  // The first NaN is a point of its own, with its step.
  const bool turns =
      series.is_finite != std::isfinite(value) && now.boot_ns >= series.next_early_ns;
  series.is_finite = std::isfinite(value);
  if (turns) series.next_early_ns = now.boot_ns + Spacing(now.boot_ns);
  if (turns && point.count > 0) WriteEarly(series);
  if (point.count == 0) series.due_ns = now.boot_ns + Spacing(now.boot_ns);
  point.step = step;
  point.at = now.at;
  Add(point, value);
  if (turns) WriteEarly(series);
  return true;
}

void MetricFile::FinishReport(const Moment& now) {
  if (early_.empty()) return;
  for (auto& [name, series] : series_) {
    const bool is_of_report = series.point.count > 0 && series.point.at == now.at;
    if (!is_of_report || now.boot_ns < series.next_with_ns) continue;
    series.next_with_ns = now.boot_ns + Spacing(now.boot_ns);
    WriteEarly(series);
  }
  Write(early_);
  early_.clear();
}

bool MetricFile::TakeLink(const JobLink& link) {
  const auto known = links_.find(link.name);
  if (known != links_.end() && known->second == link.url) return true;
  if (known == links_.end() && links_.size() >= kLinksMax) return false;
  if (links_written_ >= kLinksWrittenMax) return false;
  ++links_written_;
  links_[link.name] = link.url;
  Write(ToLine(link));
  return true;
}

int64_t MetricFile::NextAtNs() const {
  int64_t next = INT64_MAX;
  for (const auto& [name, series] : series_) {
    if (series.point.count > 0) next = std::min(next, series.due_ns);
  }
  return next;
}

void MetricFile::WriteEarly(Series& series) {
  early_ += ToLine(series.point);
  series.point.count = 0;
}

void MetricFile::WriteDue(int64_t boot_ns) {
  std::string lines;
  for (auto& [name, series] : series_) {
    if (series.point.count == 0 || series.due_ns > boot_ns) continue;
    lines += ToLine(series.point);
    series.point.count = 0;
  }
  if (!lines.empty()) Write(lines);
}

void MetricFile::Write(const std::string& lines) {
  if (!file_.valid()) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    file_.Reset(openat(directory_.get(), name_.c_str(), kFlags, 0600));
    struct stat facts = {};
    if (file_.valid() && fstat(file_.get(), &facts) == 0) bytes_ = facts.st_size;
  }
  const ssize_t count = file_.valid() ? write(file_.get(), lines.data(), lines.size()) : -1;
  if (!directory_.valid()) errno = directory_error_;
  if (count == static_cast<ssize_t>(lines.size())) {
    bytes_ += count;
    return;
  }
  last_error_ = count < 0 ? errno : ENOSPC;
  // No half of a line stays: what follows would be part of it.
  if (count > 0 && ftruncate(file_.get(), bytes_) != 0) last_error_ = errno;
}

}  // namespace gp
