#include "adapters/outbound/process/old_logs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/digest.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "files/replace_file.h"
#include "supervisor/files/remove_tree.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoBoot = "-";  // instead of an unknown boot id
constexpr const char* kEnd = "end";   // marks a complete record

// Fingerprint of one file or directory, without its contents; nullopt: it cannot be read.
std::optional<uint64_t> FingerprintOfOne(const std::string& path, size_t name_begins) {
  struct stat facts{};
  if (lstat(path.c_str(), &facts) != 0) return std::nullopt;
  std::string text = path.substr(name_begins);
  const auto& time = facts.st_mtim;
  for (const int64_t number :
       {int64_t{time.tv_sec}, int64_t{time.tv_nsec}, int64_t{facts.st_size}}) {
    text += '\0' + std::to_string(number);
  }
  return Digest64(text);
}

// Fingerprint of a job: its attempt directories and the files in them, in any order.
std::optional<uint64_t> FingerprintOf(const fs::path& job) {
  const size_t name_begins = job.parent_path().string().size();
  auto sum = FingerprintOfOne(job, name_begins);
  std::error_code error;
  fs::recursive_directory_iterator at(job, error);
  for (const fs::recursive_directory_iterator end; sum && !error && at != end;
       at.increment(error)) {
    const auto one = FingerprintOfOne(at->path(), name_begins);
    sum = one ? std::optional(*sum + *one) : std::nullopt;
  }
  return error ? std::nullopt : sum;
}

std::vector<JobId> JobsIn(const std::string& directory) {
  std::vector<JobId> jobs;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const auto job = ParseJobKey(name);
    if (job && KeyOf(*job) == name) jobs.push_back(*job);  // other spellings are not made here
  }
  return jobs;
}

std::string OrNone(const std::string& boot) { return boot.empty() ? kNoBoot : boot; }

}  // namespace

OldLogs::OldLogs(std::string directory, std::string record, Clock& clock)
    : directory_(std::move(directory)), record_(std::move(record)), clock_(clock) {
  ReadRecord();
}

// The record has the boot id, its clock and the elapsed time; then a line for each job.
void OldLogs::ReadRecord() {
  const int64_t now_ns = clock_.BootNs();
  before_boot_ = Duration{-now_ns};
  std::ifstream file(record_);
  std::string boot;
  int64_t boot_ns = 0;
  Duration elapsed;
  file >> boot >> boot_ns >> elapsed.ns;
  std::map<JobId, Unchanged> jobs;
  std::string key;
  while (file >> key && key != kEnd) {
    std::string fingerprint;
    Unchanged one;
    file >> fingerprint >> one.since.ns;
    const auto job = ParseJobKey(key);
    const auto digest = FromBase32(fingerprint);
    if (!job || !digest) return;
    one.fingerprint = *digest;
    jobs[*job] = one;
  }
  if (!file) return;
  // Only on the same boot does its clock show how much time has passed.
  const bool is_same_boot = boot != kNoBoot && boot == clock_.BootId() && now_ns >= boot_ns;
  before_boot_ = Duration{elapsed.ns - (is_same_boot ? boot_ns : now_ns)};
  jobs_ = std::move(jobs);
}

// If the disk fails, the next process uses an older record and removes later.
void OldLogs::KeepRecord() const {
  const Duration elapsed = Elapsed();
  std::string text = OrNone(clock_.BootId()) + " " + std::to_string((elapsed - before_boot_).ns) +
                     " " + std::to_string(elapsed.ns) + "\n";
  for (const auto& [job, one] : jobs_) {
    text +=
        KeyOf(job) + " " + ToBase32(one.fingerprint) + " " + std::to_string(one.since.ns) + "\n";
  }
  text += std::string(kEnd) + "\n";
  IgnoreResult(ReplaceFile(record_, text, 0600, Survives::kPowerCut), "the next removal writes it");
}

// The time is taken after the fingerprint: a later write changes the fingerprint.
OldLogs::Unchanged OldLogs::Look(JobId job) const {
  const auto fingerprint = FingerprintOf(fs::path(directory_) / KeyOf(job));
  const auto before = jobs_.find(job);
  const bool is_known = fingerprint && before != jobs_.end();
  if (is_known && before->second.fingerprint == *fingerprint) return before->second;
  return {fingerprint.value_or(0), Elapsed()};
}

int OldLogs::Remove(Duration keep, const std::function<bool(JobId)>& is_here) {
  const int fd = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;
  int removed = 0;
  std::map<JobId, Unchanged> left;
  for (const JobId job : JobsIn(directory_)) {
    const Unchanged one = Look(job);
    if (Elapsed() - one.since < keep || is_here(job)) {
      left[job] = one;
    } else {
      RemoveTree(fd, KeyOf(job).c_str());
      ++removed;
    }
  }
  close(fd);
  jobs_ = std::move(left);
  KeepRecord();
  return removed;
}

}  // namespace gp
