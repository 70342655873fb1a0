#pragma once

// The calls with which this process changes files below one directory, counted one by one, and what
// may go wrong at each: the process is killed before the call or in the middle of a write, the
// machine loses power, the call fails.  An executable that links this has its own open, write,
// sync, rename …, so that SQLite, the product's code and the C++ library all go through it; what
// the C library does for itself (FILE, mmap) does not.  One thread at a time changes the plan.

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

enum class FileCall { kCreate, kWrite, kSync, kTruncate, kRename, kRemove, kRead };

struct FilePlan {
  enum class Fault {
    kNone,
    kKill,       // SIGKILL instead of call `at`
    kTear,       // half of the write happens, then SIGKILL
    kLosePower,  // what was not synced is lost, all or in part by `seed`, then SIGKILL; of a write
                 // that is its own sync (O_DSYNC) some sectors may be there
    kFailOnce,   // call `at` fails with `error`
    kFailOn,     // it, and all after it
    kNoDirect,   // from call `at` on writes that are their own sync fail with EINVAL
  };
  Fault fault = Fault::kNone;
  uint64_t at = 0;  // from 0
  int error = 0;    // ENOSPC only where a call needs room
  uint64_t seed = 0;
  bool counts_reads = false;
};

// Counts from 0 below `directory`; an empty one: nothing is watched any more.
// Syncs go no further than to this shim: who is killed loses nothing that the kernel has.
void WatchFiles(const std::string& directory, const FilePlan& plan = {});
// What was not synced since then is lost, all of it, as far as the plan had it kept: kLosePower
// only.
void LoseUnsynced();
// The calls since then.
std::vector<FileCall> WatchedCalls();

}  // namespace gp
