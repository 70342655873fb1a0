#pragma once

// Following a job: its output, its end, its exit code. No byte is lost when a controller goes away
// and comes back: output is requested again from the offset reached.

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/cli.h"
#include "cmd/text/line_turns.h"
#include "cmd/text/prefixed_lines.h"

namespace gp {

struct LogOptions {
  std::string job;
  int rank = 0;
  bool errors = false;  // standard error instead of standard output
  int attempt = 0;      // 0: the last
  int64_t offset = 0;
  int64_t since_ms = 0;  // in place of an offset: what was written from then on; 0: not used
  bool follow = false;
  std::FILE* to = stdout;
  LineTurns* turns = nullptr;      // of streams that are copied to one file
  PrefixedLines* lines = nullptr;  // nullptr: bytes are copied as they are
};

// Copies output. Returns when all of it is copied.
Status CopyLog(Cli& cli, const LogOptions& options);
// The offset at which the last `lines` lines of the output so far begin.
Result<int64_t> FindTail(Cli& cli, const LogOptions& options, int lines);
// Copies standard output to ours and standard error to ours, as they arrive if they are followed.
Status CopyStreams(Cli& cli, const LogOptions& options);

// Waits for the job's end; nullopt: the timeout passed first. Errors: kNotFound, or kUnavailable
// when no controller answered for a minute.
Result<std::optional<v1::Job>> WaitForEnd(Cli& cli, const std::string& job,
                                          std::optional<Duration> timeout);

// The job of that name; of an array, all its elements together.
Result<v1::Job> FetchJob(Cli& cli, const std::string& name);
// The ids of all jobs that the name selects: one, or elements of an array. Errors as of WaitForEnd.
Result<std::vector<std::string>> FindJobs(Cli& cli, const std::string& name);

// Copies output and errors of rank 0 as they arrive, until the end; returns the exit code for this
// program.
int FollowToEnd(Cli& cli, const std::string& job);

// The job's own code; 125 where the platform failed it.
int ExitCodeOf(const v1::Job& job);

}  // namespace gp
