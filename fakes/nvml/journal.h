#pragma once

// The control file: an append-only text file of commands, one a line, that every process which
// loaded the fake reads.  Appending takes a lock, so read-decide-append (MIG) is one step for all.
// Without a path the commands live in this process only.

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

// "@<nanoseconds> verb key=value key="value with blanks"".  Without the time, `now_ns` is taken.
Result<FakeCommand> ParseFakeCommand(const std::string& line, int64_t now_ns);
std::string FormatFakeCommand(const FakeCommand& command);

int64_t RealTimeNs();

class FakeJournal {
 public:
  explicit FakeJournal(std::string path);
  ~FakeJournal();
  FakeJournal(const FakeJournal&) = delete;
  FakeJournal& operator=(const FakeJournal&) = delete;

  // Complete lines that were appended since the last call.
  std::vector<std::string> News();
  // One line more.  REQUIRES: inside Locked, where others may append too.
  Status Append(const std::string& line);
  // Nobody else appends while `body` runs.
  Status Locked(const std::function<void()>& body);
  // Returns when something was appended, at the latest after `timeout_ms`; may return early.  The
  // one function that several threads may be in at a time.
  void WaitForNews(int timeout_ms) const;

 private:
  int Open();

  std::string path_;
  int fd_ = -1;
  int inotify_ = -1;
  int64_t offset_ = 0;
  std::vector<std::string> own_;  // where there is no file
};

}  // namespace gp
