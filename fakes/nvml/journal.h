#pragma once

// The control file: an append-only text file with one command per line, which every process that
// loaded the fake reads.  Appending takes a lock, so read-decide-append (MIG) is atomic.  Without a
// path the commands exist only in this process.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

struct FakeCommand {
  int64_t time_ns = 0;  // real-time clock
  std::string verb;
  std::map<std::string, std::string> arguments;
};

// "@<nanoseconds> verb key=value key="value with spaces"".  Without a time, `now_ns` is used.
Result<FakeCommand> ParseFakeCommand(const std::string& line, int64_t now_ns);
std::string FormatFakeCommand(const FakeCommand& command);

int64_t RealTimeNs();

class FakeJournal {
 public:
  explicit FakeJournal(std::string path);
  ~FakeJournal();
  FakeJournal(const FakeJournal&) = delete;
  FakeJournal& operator=(const FakeJournal&) = delete;

  // The complete lines that were appended since the last call.
  std::vector<std::string> News();
  // Appends one line.  REQUIRES: inside Locked, if others may append too.
  Status Append(const std::string& line);
  // Prevents other appends while `body` runs.
  Status Locked(const std::function<void()>& body);
  // Returns after an append, at the latest after `timeout_ms`; may return early.  Only this
  // function may be called by several threads at once.
  void WaitForNews(int timeout_ms) const;

 private:
  int Open();

  std::string path_;
  int fd_ = -1;
  int inotify_ = -1;
  int64_t offset_ = 0;
  std::vector<std::string> own_;  // the lines without a file
};

}  // namespace gp
