#include "fakes/nvml/journal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

namespace gp {
namespace {

// The next word of `text` from `*at`; quotes keep spaces together and are removed.
std::string NextWord(const std::string& text, size_t* at) {
  while (*at < text.size() && text[*at] == ' ') ++*at;
  std::string word;
  bool quoted = false;
  for (; *at < text.size() && (quoted || text[*at] != ' '); ++*at) {
    if (text[*at] == '"') {
      quoted = !quoted;
    } else {
      word += text[*at];
    }
  }
  return word;
}

Error OsError(const std::string& path) { return Unavailable(path + ": " + std::strerror(errno)); }

}  // namespace

int64_t RealTimeNs() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Result<FakeCommand> ParseFakeCommand(const std::string& line, int64_t now_ns) {
  FakeCommand command;
  command.time_ns = now_ns;
  size_t at = 0;
  command.verb = NextWord(line, &at);
  if (command.verb.starts_with('@')) {
    const char* end = command.verb.data() + command.verb.size();
    const auto parsed = std::from_chars(command.verb.data() + 1, end, command.time_ns);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return Fail(InvalidArgument("'" + command.verb + "' is not @<nanoseconds since 1970>"));
    }
    command.verb = NextWord(line, &at);
  }
  if (command.verb.empty()) return Fail(InvalidArgument("a command is missing"));
  while (true) {
    const std::string word = NextWord(line, &at);
    if (word.empty()) break;
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return Fail(InvalidArgument("'" + word + "' is not key=value"));
    }
    command.arguments[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return command;
}

std::string FormatFakeCommand(const FakeCommand& command) {
  std::string line = "@" + std::to_string(command.time_ns) + " " + command.verb;
  for (auto [key, value] : command.arguments) {
    // Keeps every value one word on one line.
    std::ranges::replace_if(value, [](unsigned char c) { return c < ' ' || c == '"'; }, '?');
    const bool quote = value.find(' ') != std::string::npos || value.empty();
    line += " " + key + "=" + (quote ? "\"" + value + "\"" : value);
  }
  return line;
}

FakeJournal::FakeJournal(std::string path) : path_(std::move(path)) {
  // The watch starts before the first read, so that no line is missed.
  if (path_.empty() || Open() < 0) return;
  inotify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotify_ < 0 || inotify_add_watch(inotify_, path_.c_str(), IN_MODIFY) >= 0) return;
  close(inotify_);
  inotify_ = -1;
}

FakeJournal::~FakeJournal() {
  if (fd_ >= 0) close(fd_);
  if (inotify_ >= 0) close(inotify_);
}

int FakeJournal::Open() {
  if (fd_ < 0) fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // A process without write permission can still read.
  if (fd_ < 0) fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  return fd_;
}

std::vector<std::string> FakeJournal::News() {
  std::vector<std::string> lines;
  if (path_.empty()) {
    lines.swap(own_);
    return lines;
  }
  struct stat status = {};
  if (Open() < 0 || fstat(fd_, &status) != 0 || status.st_size <= offset_) return lines;
  std::string text(static_cast<size_t>(status.st_size - offset_), '\0');
  const ssize_t got = pread(fd_, text.data(), text.size(), offset_);
  if (got <= 0) return lines;
  text.resize(static_cast<size_t>(got));
  size_t start = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    if (end > start) lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  offset_ += static_cast<int64_t>(start);  // an incomplete line waits for its rest
  return lines;
}

Status FakeJournal::Append(const std::string& line) {
  if (path_.empty()) {
    own_.push_back(line);
    return Ok();
  }
  if (Open() < 0) return Fail(OsError(path_));
  const std::string text = line + "\n";
  if (write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return Fail(OsError(path_));
  }
  return Ok();
}

Status FakeJournal::Locked(const std::function<void()>& body) {
  if (path_.empty()) {
    body();
    return Ok();
  }
  if (Open() < 0 || flock(fd_, LOCK_EX) != 0) return Fail(OsError(path_));
  body();
  flock(fd_, LOCK_UN);
  return Ok();
}

void FakeJournal::WaitForNews(int timeout_ms) const {
  // If another thread consumes the notice, this one notices the change a second later.  One process
  // per GPU waits here, so shorter intervals would keep a machine with many GPUs busy.
  const bool is_notified = inotify_ >= 0;
  const int look_again_ms = is_notified ? 1'000 : 50;
  pollfd waiting = {inotify_, POLLIN, 0};
  if (poll(&waiting, is_notified ? 1 : 0, std::min(timeout_ms, look_again_ms)) <= 0) return;
  char events[4096];
  while (read(inotify_, events, sizeof events) > 0) {
  }
}

}  // namespace gp
