#pragma once

// A controller on a journal in a directory, as `serve` puts it together, in a process that may be
// killed; and what is found in the directory afterwards.

#include <functional>
#include <string>

#include "tests/crash/witness.h"
#include "tests/crash/workload.h"
#include "tests/support/file_faults/file_faults.h"

namespace gp {

inline constexpr int64_t kLogPagesInTests = 24;  // so that the log is begun again several times

struct LifeOptions {
  int first = 0;
  int rounds = 0;
  int64_t log_pages = kLogPagesInTests;
  std::function<void()> at_end = [] {};  // before the journal is closed
};

// Opens the journal, recovers, and plays `rounds` rounds from `first` on.  The error of a start
// that was refused.
Status Live(const std::string& directory, Witness& witness, WorkloadKind kind,
            const LifeOptions& options);

// Only the start, and one job of this id.
Status Restart(const std::string& directory, Witness& witness, const std::string& request_id);

// How a process ended.
struct Ending {
  bool killed = false;
  int exit_code = 0;  // 1: `run` failed; its error is the last line of the words
  std::string words;  // its stderr
};
Ending InChild(const std::string& directory, const FilePlan& plan,
               const std::function<Status()>& run);

// What is wrong with the journal, given what was witnessed; empty: all acknowledged records are
// there, and nothing else, and a controller goes on with it.  Writes to the directory.
std::string Judge(const std::string& directory, const Witness& witness);

}  // namespace gp
