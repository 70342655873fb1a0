#include "adapters/outbound/notify/outbox.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 20;
constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kUnfinished = ".new";  // replace_file.h

std::optional<uint64_t> NumberOf(const std::string& name) {
  if (name.size() != kDigits + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + kDigits, number);
  return error == std::errc{} && end == name.data() + kDigits ? std::optional(number)
                                                              : std::nullopt;
}

std::set<uint64_t> NumbersIn(const std::string& directory) {
  std::set<uint64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (const auto number = NumberOf(name)) numbers.insert(*number);
    std::error_code ignored;
    if (name.ends_with(kUnfinished)) fs::remove(at->path(), ignored);
  }
  return numbers;
}

std::string NameOf(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(kDigits - digits.size(), '0') + digits + std::string(kSuffix);
}

}  // namespace

Result<Outbox> Outbox::Open(const std::string& directory, Instant now) {
  std::error_code error;
  fs::create_directories(directory + "/refused", error);
  if (!error) fs::permissions(directory, fs::perms::owner_all, error);
  if (error) return Fail(Internal(directory + ": " + error.message()));
  Outbox outbox(directory);
  for (const uint64_t number : NumbersIn(directory)) outbox.Insert(number, now);
  if (!outbox.waiting_.empty()) outbox.last_ = outbox.waiting_.rbegin()->first;
  return outbox;
}

std::string Outbox::PathOf(uint64_t number) const { return directory_ + "/" + NameOf(number); }

Result<uint64_t> Outbox::Number(Instant at) {
  if (waiting_.size() >= kWaitingMax)
    return Fail(Error{ErrorCode::kResourceExhausted,
                      std::to_string(kWaitingMax) + " notifications wait already"});
  last_ = std::max<uint64_t>(last_ + 1, at.ns > 0 ? static_cast<uint64_t>(at.ns) : 0);
  return last_;
}

Status Outbox::Write(uint64_t number, const std::string& body, Survives survives) const {
  return ReplaceFile(PathOf(number), body, 0600, survives);
}

void Outbox::Insert(uint64_t number, Instant now) {
  const auto latest = static_cast<uint64_t>(std::max<int64_t>(now.ns, 0));
  waiting_[number] = Instant{static_cast<int64_t>(std::min(number, latest))};
}

Status Outbox::Sync() const {
  const int directory = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = directory >= 0 && syncfs(directory) == 0;
  const int error = errno;
  if (directory >= 0) close(directory);
  return is_synced ? Ok() : Fail(Internal(directory_ + ": " + std::strerror(error)));
}

Result<std::optional<Outbox::Waiting>> Outbox::First() {
  while (!waiting_.empty()) {
    const uint64_t number = waiting_.begin()->first;
    errno = 0;
    std::ifstream file(PathOf(number), std::ios::binary);
    if (file) {
      std::ostringstream body;
      body << file.rdbuf();
      return std::optional(Waiting{number, body.str()});
    }
    if (errno != ENOENT) return Fail(Internal(PathOf(number) + ": " + std::strerror(errno)));
    waiting_.erase(number);  // an operator removed it
  }
  return std::optional<Waiting>();
}

void Outbox::Remove(uint64_t number) {
  std::error_code ignored;
  fs::remove(PathOf(number), ignored);
  waiting_.erase(number);
}

void Outbox::Refuse(uint64_t number) {
  PutAside(number);
  ForgetOldRefused();
}

void Outbox::PutAside(uint64_t number) {
  std::error_code error;
  fs::rename(PathOf(number), directory_ + "/refused/" + NameOf(number), error);
  if (error) return Remove(number);  // otherwise it would be retried forever
  waiting_.erase(number);
}

size_t Outbox::RefuseBefore(Instant at) {
  size_t refused = 0;
  while (!waiting_.empty() && waiting_.begin()->second < at) {
    PutAside(waiting_.begin()->first);
    ++refused;
  }
  ForgetOldRefused();
  return refused;
}

void Outbox::ForgetOldRefused() {
  const std::string place = directory_ + "/refused";
  std::error_code ignored;
  std::set<uint64_t> refused = NumbersIn(place);
  for (; refused.size() > kRefusedMax; refused.erase(refused.begin()))
    fs::remove(place + "/" + NameOf(*refused.begin()), ignored);
}

}  // namespace gp
