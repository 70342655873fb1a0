#include "adapters/outbound/images/image_records.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "files/replace_file.h"

namespace gp {
namespace {

constexpr std::string_view kPrefix = "sha256:";

Instant TimeOf(const timespec& time) {
  return Instant{time.tv_sec * Duration::Seconds(1).ns + time.tv_nsec};
}

}  // namespace

ImageRecords::ImageRecords(std::string directory) : directory_(std::move(directory)) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, failed))
    Read(entry.path().filename());
}

void ImageRecords::Read(const std::string& digits) {
  ImageRecord record;
  record.digest = std::string(kPrefix) + digits;
  struct stat facts;
  std::ifstream file(directory_ + "/" + digits);
  if (!std::getline(file, record.name) || stat(PathOf(record.digest).c_str(), &facts) != 0) return;
  for (std::string line; std::getline(file, line);) record.diff_ids.push_back(line);
  record.used_at = TimeOf(facts.st_mtim);
  const bool is_whole = !record.diff_ids.empty() && IsSha256Name(record.digest) &&
                        std::ranges::all_of(record.diff_ids, IsSha256Name);
  if (is_whole) records_[record.digest] = std::move(record);
}

std::string ImageRecords::PathOf(const std::string& digest) const {
  return directory_ + "/" + digest.substr(kPrefix.size());
}

void ImageRecords::Note(const std::string& name, const std::string& digest,
                        std::vector<std::string> diff_ids) {
  if (diff_ids.empty()) return;  // it takes no room
  std::ranges::sort(diff_ids);
  const auto again = std::ranges::unique(diff_ids);
  diff_ids.erase(again.begin(), again.end());
  const std::lock_guard files(files_mutex_);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const ImageRecord record{name, digest, std::move(diff_ids), TimeOf(now)};
  std::string oldest;
  {
    const std::lock_guard lock(mutex_);
    records_[digest] = record;
    const auto used_at = [](const auto& one) { return one.second.used_at; };
    if (records_.size() > kMax) {
      oldest = std::ranges::min_element(records_, {}, used_at)->first;
      records_.erase(oldest);
    }
    all_ = nullptr;
  }
  Write(record);
  if (!oldest.empty()) unlink(PathOf(oldest).c_str());
}

void ImageRecords::Write(const ImageRecord& record) const {
  std::error_code failed;
  std::filesystem::create_directory(directory_, failed);
  IgnoreResult(
      ReplaceFile(PathOf(record.digest), record.name + "\n" + Join(record.diff_ids, "\n") + "\n",
                  0600, Survives::kCrash),
      "it is known until this process ends");
}

// A file that is being written may be that of the same image.
bool ImageRecords::Drop(const ImageRecord& seen) {
  const std::unique_lock files(files_mutex_, std::try_to_lock);
  if (!files.owns_lock()) return false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(seen.digest);
    if (found == records_.end() || found->second.used_at != seen.used_at) return true;
    records_.erase(found);
    all_ = nullptr;
  }
  unlink(PathOf(seen.digest).c_str());
  return true;
}

std::shared_ptr<const std::vector<ImageRecord>> ImageRecords::All() const {
  const std::lock_guard lock(mutex_);
  if (all_ != nullptr) return all_;
  std::vector<ImageRecord> all;
  for (const auto& [digest, record] : records_) all.push_back(record);
  std::ranges::stable_sort(all, std::ranges::greater(), &ImageRecord::used_at);
  all_ = std::make_shared<const std::vector<ImageRecord>>(std::move(all));
  return all_;
}

}  // namespace gp
