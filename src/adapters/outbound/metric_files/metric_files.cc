#include "adapters/outbound/metric_files/metric_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <variant>

#include "base/ignore_result.h"
#include "files/descriptor.h"
#include "supervisor/records/attempt_record.h"
#include "supervisor/records/job_link.h"
#include "supervisor/records/metric_record.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

// Messages of agents that wait, of at most a MiB each.  More are dropped: their agents repeat them.
constexpr size_t kWaitingMax = 64;
constexpr size_t kRemovalsMax = 100'000;
// More than a job of months writes (supervisor/output/metric_file.h).  The piece that passes it is
// the last one that is kept.
constexpr int64_t kSourceBytesMax = int64_t{32} << 20;
// Of all sources of a job that are read together.
constexpr size_t kReadBytesMax = size_t{128} << 20;
constexpr size_t kPieceMin = 64 << 10;  // no line of a part is longer

std::string FileName(const MetricSource& source, NodeId node) {
  return std::to_string(source.attempt) + "." + std::to_string(source.rank) + "." +
         std::to_string(node.value);
}

// nullopt: this is not the name of such a file.
std::optional<std::pair<MetricSource, NodeId>> ParseName(JobId job, const std::string& name) {
  MetricSource source{job, 0, 0};
  NodeId node;
  const char* end = name.data() + name.size();
  const auto attempt = std::from_chars(name.data(), end, source.attempt);
  if (attempt.ec != std::errc() || attempt.ptr == end || source.attempt < 0) return std::nullopt;
  const auto rank = std::from_chars(attempt.ptr + 1, end, source.rank);
  if (rank.ec != std::errc() || rank.ptr == end || source.rank < 0) return std::nullopt;
  const auto of_node = std::from_chars(rank.ptr + 1, end, node.value);
  if (of_node.ec != std::errc() || FileName(source, node) != name) return std::nullopt;
  return std::pair(source, node);
}

Result<std::string> ReadAll(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return Fail(SystemError("cannot open " + path, errno));
  std::string bytes;
  char buffer[64 << 10];
  ssize_t count = 0;
  while ((count = read(file.get(), buffer, sizeof buffer)) > 0)
    bytes.append(buffer, static_cast<size_t>(count));
  if (count < 0) return Fail(SystemError("cannot read " + path, errno));
  return bytes;
}

// Whole lines from this place on; empty: there are none yet.
Result<std::string> ReadPiece(const std::string& path, int64_t from, size_t bytes_max) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat facts = {};
  if (!file.valid() || fstat(file.get(), &facts) != 0)
    return Fail(SystemError("cannot read " + path, errno));
  if (from < 0 || facts.st_size <= from) return std::string();
  const int64_t before = from == 0 ? 0 : 1;  // the line end there
  std::string bytes(std::min(bytes_max, static_cast<size_t>(facts.st_size - from)), '\0');
  bytes.resize(bytes.size() + static_cast<size_t>(before));
  const ssize_t count = pread(file.get(), bytes.data(), bytes.size(), from - before);
  if (count < 0) return Fail(SystemError("cannot read " + path, errno));
  bytes.resize(static_cast<size_t>(count));
  if (before > 0 && !bytes.starts_with('\n'))
    return Fail(InvalidArgument("byte " + std::to_string(from) + " is no end of a line"));
  bytes.resize(bytes.rfind('\n') + 1);
  return bytes.substr(static_cast<size_t>(before));
}

MetricRecords RecordsOf(const MetricEnds::key_type& source, const std::string& bytes, int64_t end) {
  return {source.first, source.second, ParseMetricRecords(bytes), ParseLinkRecords(bytes), end};
}

}  // namespace

MetricFiles::MetricFiles(std::string directory)
    : directory_(std::move(directory)), writer_([this] { Run(); }) {}

void MetricFiles::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (writer_.joinable()) writer_.join();
}

bool MetricFiles::Post(std::function<void()> work, size_t waiting_max) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_ || waiting_.size() >= waiting_max) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_all();
  return true;
}

void MetricFiles::Keep(NodeId node, std::vector<MetricPart> parts,
                       std::function<void(std::vector<MetricMark>)> kept) {
  const auto write = [this, node, parts = std::move(parts), kept = std::move(kept)] {
    std::vector<MetricMark> marks;
    for (const MetricPart& part : parts) {
      if (const auto end = Append(node, part)) marks.push_back({part.source, *end});
    }
    if (!marks.empty()) kept(std::move(marks));
  };
  IgnoreResult(Post(write, kWaitingMax), "the agent sends again what was not kept");
}

// No agent has joined yet.  Where a journal was lost or cut, its jobs from there on are unknown, so
// that jobs that get their numbers begin without metrics.
void MetricFiles::OnBegin(const State& state, const CommittedRecords&) {
  std::error_code error;
  std::vector<fs::path> unknown;
  fs::directory_iterator at(directory_, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const auto job = ParseJobKey(at->path().filename().string());
    if (job && state.FindJob(*job) == nullptr) unknown.push_back(at->path());
  }
  for (const fs::path& path : unknown) fs::remove_all(path, error);
}

void MetricFiles::OnCommit(const State&, const CommittedRecords& committed) {
  for (const Event& event : committed.events) {
    const auto* forgotten = std::get_if<JobForgotten>(&event);
    if (forgotten == nullptr) continue;
    const auto remove = [directory = DirectoryOf(forgotten->job)] {
      std::error_code error;
      fs::remove_all(directory, error);
    };
    IgnoreResult(Post(remove, kRemovalsMax), "the next start removes it");
  }
}

void MetricFiles::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

std::string MetricFiles::DirectoryOf(JobId job) const { return directory_ + "/" + KeyOf(job); }

std::optional<int64_t> MetricFiles::Append(NodeId node, const MetricPart& part) const {
  const std::string directory = DirectoryOf(part.source.job);
  const std::string path = directory + "/" + FileName(part.source, node);
  if (part.bytes.empty()) {
    struct stat facts = {};
    if (stat(path.c_str(), &facts) != 0) return errno == ENOENT ? std::optional(0) : std::nullopt;
    return facts.st_size;
  }
  const int create = part.offset == 0 ? O_CREAT : 0;
  mkdir(directory_.c_str(), 0700);
  if (create != 0) mkdir(directory.c_str(), 0700);
  const Descriptor file(open(path.c_str(), O_WRONLY | create | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat facts = {};
  if (!file.valid() && errno == ENOENT) return 0;
  if (!file.valid() || fstat(file.get(), &facts) != 0) return std::nullopt;
  const int64_t end = facts.st_size;
  const auto size = static_cast<int64_t>(part.bytes.size());
  if (end > kSourceBytesMax && part.offset >= end) return part.offset + size;
  if (part.offset != end) return end;
  if (pwrite(file.get(), part.bytes.data(), part.bytes.size(), end) == size) return end + size;
  // No half of a piece stays, so that the next one begins with a line.
  if (ftruncate(file.get(), end) != 0) return std::nullopt;
  return std::nullopt;
}

std::string MetricFiles::PathOf(const MetricEnds::key_type& source) const {
  return DirectoryOf(source.first.job) + "/" + FileName(source.first, source.second);
}

Result<std::vector<MetricEnds::key_type>> MetricFiles::SourcesOf(JobId job) const {
  std::vector<MetricEnds::key_type> sources;
  std::error_code error;
  fs::directory_iterator at(DirectoryOf(job), error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    if (const auto known = ParseName(job, at->path().filename())) sources.push_back(*known);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return Fail(Internal("cannot read " + DirectoryOf(job) + ": " + error.message()));
  std::ranges::sort(sources);
  return sources;
}

Result<std::vector<MetricRecords>> MetricFiles::Read(JobId job) {
  std::vector<MetricRecords> all;
  size_t bytes_read = 0;
  for (const auto& source : GP_TRY(SourcesOf(job))) {
    const std::string bytes = GP_TRY(ReadAll(PathOf(source)));
    bytes_read += bytes.size();
    if (bytes_read > kReadBytesMax)
      return Fail(
          Unsupported("the metrics of this job are more than 128 MiB together: let fewer "
                      "ranks report them"));
    all.push_back(RecordsOf(source, bytes, static_cast<int64_t>(bytes.size())));
  }
  return all;
}

Result<std::vector<MetricRecords>> MetricFiles::ReadAfter(JobId job, const MetricEnds& ends,
                                                          size_t bytes_max) {
  std::vector<MetricRecords> fresh;
  size_t bytes_read = 0;
  for (const auto& source : GP_TRY(SourcesOf(job))) {
    if (!fresh.empty() && bytes_read >= bytes_max) break;
    const auto known = ends.find(source);
    const int64_t from = known == ends.end() ? 0 : known->second;
    // The last piece may go past the limit: a line must fit into it.
    const size_t piece_max = std::max(bytes_max - std::min(bytes_max, bytes_read), kPieceMin);
    const std::string bytes = GP_TRY(ReadPiece(PathOf(source), from, piece_max));
    if (bytes.empty()) continue;
    bytes_read += bytes.size();
    fresh.push_back(RecordsOf(source, bytes, from + static_cast<int64_t>(bytes.size())));
  }
  return fresh;
}

}  // namespace gp
