#include "cmd/metrics/event_runs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <system_error>

#include "base/text.h"
#include "cmd/metrics/event_file.h"
#include "files/descriptor.h"
#include "files/replace_file.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMode = 0644;

double WallSecondsOf(Instant at) { return static_cast<double>(at.ns) / 1e9; }

float ScalarOf(const v1::MetricCurvePoint& point) {
  if (point.has_last()) return static_cast<float>(point.last());
  if (point.not_finite() == "nan") return std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  return point.not_finite() == "-inf" ? -infinity : infinity;
}

Result<std::string> RecordOf(const SeriesPoint& one) {
  const Instant at = GP_TRY(ParseRfc3339(one.point->at()));
  return ToRecord({WallSecondsOf(at), one.point->step(), one.series->name(), ScalarOf(*one.point)});
}

Status AppendOne(const std::string& file, const std::string& records) {
  const Descriptor out(open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const ssize_t count = out.valid() ? write(out.get(), records.data(), records.size()) : -1;
  if (count == static_cast<ssize_t>(records.size())) return Ok();
  return Fail(Internal(file + ": " + std::strerror(count < 0 ? errno : ENOSPC)));
}

// A job's name has letters, digits and dots; whatever a controller sends, a run is one directory.
std::string RunName(const v1::Job& job) {
  std::string name = job.id() + (job.spec().name().empty() ? "" : "-" + job.spec().name());
  std::ranges::replace(name, '/', '_');
  return name;
}

}  // namespace

Result<EventRuns> EventRuns::Open(const std::string& directory, const v1::Job& job,
                                  bool by_attempt) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error)) {
    const std::string why = error ? error.message() : std::strerror(ENOTDIR);
    return Fail(
        InvalidArgument("--tensorboard " + Printable(directory) + ": cannot be made: " + why));
  }
  EventRuns runs;
  runs.submitted_at_ = GP_TRY(ParseRfc3339(job.submitted_at()));
  runs.run_ = fs::path(directory) / RunName(job);
  // No clock and no host is in the name, so that the next call, from wherever, finds the file.
  runs.name_ = "events.out.tfevents." + std::to_string(runs.submitted_at_.ns / 1'000'000'000) +
               ".gpu-platform";
  runs.by_attempt_ = by_attempt;
  return runs;
}

std::string EventRuns::FileOf(const SeriesPoint& one) const {
  fs::path run = run_;
  if (by_attempt_) run /= "attempt" + std::to_string(one.point->attempt());
  if (one.series->rank() > 0) run /= "rank" + std::to_string(one.series->rank());
  return run / name_;
}

Status EventRuns::ReplaceOne(const std::string& file, const std::string& records) const {
  std::error_code error;
  const fs::path run = fs::path(file).parent_path();
  fs::create_directories(run, error);
  if (error) return Fail(InvalidArgument(run.string() + ": cannot be made: " + error.message()));
  return ReplaceFile(file, EventFileHead(WallSecondsOf(submitted_at_)) + records, kMode,
                     Survives::kCrash);
}

Status EventRuns::Append(const SeriesPoints& points) {
  std::map<std::string, std::string> records;
  for (const SeriesPoint& one : points) records[FileOf(one)] += GP_TRY(RecordOf(one));
  for (const auto& [file, added] : records) {
    GP_CHECK_OK(files_.contains(file) ? AppendOne(file, added) : ReplaceOne(file, added));
    files_.insert(file);
  }
  return Ok();
}

Status EventRuns::Replace(const SeriesPoints& points) {
  files_.clear();
  GP_CHECK_OK(Append(points));
  RemoveOthers();
  return Ok();
}

// Other programs' files have other names; what cannot be removed does no harm.
void EventRuns::RemoveOthers() const {
  constexpr int kDepthMax = 2;  // attempt and rank
  std::error_code error;
  std::set<fs::path> others;
  for (fs::recursive_directory_iterator at(run_, error), end; !error && at != end;
       at.increment(error)) {
    if (at.depth() >= kDepthMax) at.disable_recursion_pending();
    if (at->path().filename() == name_ && !files_.contains(at->path())) others.insert(at->path());
  }
  for (const fs::path& file : others) {
    fs::remove(file, error);
    // Only empty ones go.
    for (fs::path run = file.parent_path(); run != fs::path(run_); run = run.parent_path())
      fs::remove(run, error);
  }
}

}  // namespace gp
