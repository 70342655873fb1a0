#include "adapters/outbound/images/files/converted_images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "adapters/outbound/images/image_answers.h"
#include "base/ignore_result.h"
#include "files/replace_file.h"
#include "lib/secrets/secrets.h"

namespace gp {

namespace {

std::string BeginFor(uint32_t uid) { return std::to_string(uid) + "-"; }

}  // namespace

std::string ConvertedImages::PathOf(uint32_t uid, const std::string& identity) const {
  return directory_ + "/" + BeginFor(uid) + Sha256(identity);
}

bool ConvertedImages::Drop(uint32_t uid, const std::string& identity) const {
  return unlink(PathOf(uid, identity).c_str()) == 0;
}

std::optional<ImagePlan> ConvertedImages::Find(uint32_t uid, const std::string& identity) const {
  const std::string path = PathOf(uid, identity);
  std::ifstream file(path);
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<ImagePlan> plan = ReadImagePlan(text);
  if (!plan) return std::nullopt;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return *std::move(plan);
}

void ConvertedImages::Note(uint32_t uid, const std::string& identity, const ImagePlan& plan) const {
  std::error_code failed;
  std::filesystem::create_directory(directory_, failed);
  IgnoreResult(ReplaceFile(PathOf(uid, identity), AnswerText(Result<ImagePlan>(plan)), 0600,
                           Survives::kCrash),
               "the file is read again");
  DropOldest(BeginFor(uid), kMaxOfUser);
  DropOldest("", kMax);
}

void ConvertedImages::DropOldest(const std::string& begin, size_t kept) const {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory_, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (!at->path().filename().string().starts_with(begin)) continue;
    std::error_code gone;
    const auto time = at->last_write_time(gone);
    if (!gone) files.emplace_back(time, at->path());
  }
  if (files.size() <= kept) return;
  std::ranges::sort(files);
  for (size_t i = 0; i < files.size() - kept; ++i) unlink(files[i].second.c_str());
}

}  // namespace gp
