#include "adapters/outbound/audit/audit_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/outbound/audit/audit_chain.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kWaitingMax = 100'000;
constexpr std::chrono::milliseconds kWriteEvery{250};
constexpr std::chrono::seconds kPatience{2};

std::string NameOfFile(int number) {
  char name[40];
  std::snprintf(name, sizeof name, "audit-%06d.jsonl", number);
  return name;
}

Error Trouble(const std::string& path) {
  return Internal("audit: " + path + ": " + std::strerror(errno));
}

// The numbers of all files, in order.  There are no gaps, but files at the beginning may have been
// removed.
std::vector<int> FilesIn(const std::string& directory) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    int number = 0;
    const std::string name = entry.path().filename();
    if (std::sscanf(name.c_str(), "audit-%d.jsonl", &number) == 1 && name == NameOfFile(number))
      numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<std::string> ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(Trouble(path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Only complete lines: the last one may still be being written.
std::vector<std::string_view> LinesOf(const std::string& text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool Matches(const AuditEntry& entry, const AuditQuery& query) {
  if (query.before != 0 && entry.number >= query.before) return false;
  if (query.refused && !entry.refused) return false;
  if (!query.user.empty() && entry.user != query.user) return false;
  if (!query.operation.empty() && entry.operation != query.operation) return false;
  return query.object.empty() || entry.object == query.object;
}

// Checks the chain line by line.
class ChainWalk {
 public:
  // The first files may have been archived: then the hash of the first line is trusted.
  explicit ChainWalk(bool is_whole) { verdict_.hash = is_whole ? kFirstHash : ""; }

  Status Follow(std::string_view line) {
    const WrittenAuditEntry written = GP_TRY(ParseAuditLine(line));
    if (!verdict_.hash.empty() && GP_TRY(HashOf(line, verdict_.hash)) != written.hash) {
      return Fail(Conflict(
          "does not follow the line before it: one of them was changed, removed or inserted"));
    }
    const AuditEntry& entry = written.entry;
    if (entry.number <= last_number_ && entry.operation != kJournalCut)
      return Fail(Conflict("record " + std::to_string(entry.number) + " comes after " +
                           std::to_string(last_number_)));
    last_number_ = entry.number;
    if (verdict_.entries == 0) verdict_.first_at = entry.at;
    ++verdict_.entries;
    verdict_.last_at = entry.at;
    verdict_.hash = written.hash;
    return Ok();
  }

  AuditVerdict BrokenAt(std::string place) {
    verdict_.broken = std::move(place);
    return verdict_;
  }
  const AuditVerdict& verdict() const { return verdict_; }

 private:
  AuditVerdict verdict_;
  uint64_t last_number_ = 0;
};

}  // namespace

Result<std::unique_ptr<AuditFile>> AuditFile::Open(std::string directory, int64_t file_bytes_max) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return Fail(Trouble(directory));
  std::unique_ptr<AuditFile> audit(new AuditFile(std::move(directory), file_bytes_max));
  GP_CHECK_OK(audit->Resume());
  GP_CHECK_OK(audit->OpenFile());
  audit->thread_ = std::thread([raw = audit.get()] { raw->Run(); });
  return audit;
}

AuditFile::~AuditFile() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  asked_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Continues after the last complete line.
Status AuditFile::Resume() {
  hash_ = kFirstHash;
  const std::vector<int> files = FilesIn(directory_);
  file_number_ = files.empty() ? 1 : files.back();
  for (auto number = files.rbegin(); number != files.rend(); ++number) {
    const std::string path = directory_ + "/" + NameOfFile(*number);
    const std::string text = GP_TRY(ReadWhole(path));
    const auto lines = LinesOf(text);
    const size_t whole = text.rfind('\n') + 1;  // npos + 1 == 0
    if (whole != text.size() && truncate(path.c_str(), static_cast<off_t>(whole)) != 0)
      return Fail(Trouble(path));
    if (lines.empty()) continue;
    const auto last = ParseAuditLine(lines.back());
    if (!last)
      return Fail(Internal("audit: the last line of " + path + " " + last.error().message +
                           ": move the directory aside, and the audit is written again, as far "
                           "back as the journal goes"));
    hash_ = last->hash;
    last_number_ = written_number_ = last->entry.number;
    return Ok();
  }
  return Ok();
}

Status AuditFile::OpenFile() {
  const std::string path = directory_ + "/" + NameOfFile(file_number_);
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Fail(Trouble(path));
  file_.reset(fdopen(fd, "a"));
  return Ok();
}

void AuditFile::Write(AuditEntry entry) {
  last_number_ = entry.number;
  std::unique_lock lock(mutex_);
  if (waiting_.size() >= kWaitingMax && !is_broken_) {
    hurry_ = true;
    asked_.notify_all();
    const bool has_room =
        written_.wait_for(lock, kPatience, [&] { return waiting_.size() < kWaitingMax; });
    is_broken_ = is_broken_ || !has_room;
    if (!has_room)
      std::fprintf(stderr,
                   "gpu-platform: the audit's disk accepts no writes; the next start continues "
                   "after the last complete line\n");
  }
  if (!is_broken_) waiting_.push_back(std::move(entry));  // none may follow a missing one
}

void AuditFile::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    asked_.wait_for(lock, kWriteEvery, [&] { return ends_ || hurry_; });
    hurry_ = false;
    if (waiting_.empty() && ends_) return;
    std::deque<AuditEntry> batch = std::exchange(waiting_, {});
    writing_ = true;
    lock.unlock();
    const bool is_written = WriteAll(batch);
    lock.lock();
    writing_ = false;
    is_broken_ = is_broken_ || !is_written;
    if (is_written && !batch.empty()) written_number_ = batch.back().number;
    written_.notify_all();
  }
}

bool AuditFile::WriteAll(const std::deque<AuditEntry>& batch) {
  for (const AuditEntry& entry : batch) Append(entry);
  Flush();
  return file_ != nullptr;
}

uint64_t AuditFile::WrittenUntil() const {
  const std::lock_guard lock(mutex_);
  const bool lacks_nothing = !is_broken_ && !writing_ && waiting_.empty();
  return lacks_nothing ? UINT64_MAX : written_number_;
}

void AuditFile::Append(const AuditEntry& entry) {
  if (file_ == nullptr) return;
  ChainedLine line = AuditLine(entry, hash_);
  line.text += '\n';
  if (std::fwrite(line.text.data(), 1, line.text.size(), file_.get()) != line.text.size())
    return GiveUp(Trouble(directory_));
  hash_ = std::move(line.hash);
  if (std::ftell(file_.get()) < file_bytes_max_) return;
  Flush();
  if (file_ == nullptr) return;
  ++file_number_;
  if (const Status opened = OpenFile(); !opened) GiveUp(opened.error());
}

void AuditFile::Flush() {
  if (file_ != nullptr && std::fflush(file_.get()) != 0) GiveUp(Trouble(directory_));
}

// Later entries would not fit the chain.
void AuditFile::GiveUp(const Error& error) {
  std::fprintf(stderr,
               "gpu-platform: %s\ngpu-platform: the audit stops here; the next start "
               "continues after the last complete line\n",
               error.message.c_str());
  file_.reset();
}

Result<std::vector<WrittenAuditEntry>> AuditFile::Read(const AuditQuery& query) {
  {
    std::unique_lock lock(mutex_);
    hurry_ = true;
    asked_.notify_all();
    written_.wait(lock, [&] { return waiting_.empty() && !writing_; });
  }
  std::vector<WrittenAuditEntry> found;
  const std::vector<int> files = FilesIn(directory_);
  for (auto number = files.rbegin(); number != files.rend() && found.size() < query.limit;
       ++number) {
    const std::string text = GP_TRY(ReadWhole(directory_ + "/" + NameOfFile(*number)));
    const auto lines = LinesOf(text);
    for (auto line = lines.rbegin(); line != lines.rend() && found.size() < query.limit; ++line) {
      auto written = ParseAuditLine(*line);
      if (!written)
        return Fail(Internal("audit: a line of " + NameOfFile(*number) + " " +
                             written.error().message + " (gpu-platform audit verify)"));
      if (Matches(written->entry, query)) found.push_back(*std::move(written));
    }
  }
  return found;
}

Result<AuditVerdict> VerifyAudit(const std::string& directory) {
  const std::vector<int> files = FilesIn(directory);
  if (files.empty()) return Fail(NotFound(directory + " has no audit-000001.jsonl"));
  ChainWalk walk(files.front() == 1);
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = NameOfFile(files[i]);
    if (i > 0 && files[i] != files[i - 1] + 1)
      return walk.BrokenAt(NameOfFile(files[i - 1] + 1) + " is missing");
    const std::string text = GP_TRY(ReadWhole(directory + "/" + name));
    int64_t row = 0;
    for (const std::string_view line : LinesOf(text)) {
      ++row;
      const Status follows = walk.Follow(line);
      if (!follows)
        return walk.BrokenAt(name + ", line " + std::to_string(row) + ": " +
                             follows.error().message);
    }
  }
  return walk.verdict();
}

}  // namespace gp
