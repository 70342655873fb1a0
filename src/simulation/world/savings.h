#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "domain/model/ids.h"
#include "domain/model/jobs/checkpoint.h"
#include "simulation/world/findings.h"
#include "simulation/world/timeline.h"

namespace gp {

// The checkpoints that programs have written to a disk that all hosts share, and those that the
// ledger knows.  A program that resumes must find the checkpoint that it is given, and it must be
// at least as new as the newest known when it was placed.
class Savings {
 public:
  Savings(Timeline& timeline, Findings& findings) : timeline_(timeline), findings_(findings) {}

  // Called by hosts: a program has written a complete or partial checkpoint; a program begins, from
  // a checkpoint or (empty `from`) from the start; a file is removed.
  void Write(JobId job, const std::string& path, int64_t step, bool is_whole);
  void Begin(JobId job, const std::string& from, int64_t step);
  void Remove(const std::string& path);
  // A checkpoint is copied to the store at this URL, and older copies than one of those that stay
  // are removed (DataCopy); it is fetched from there.
  // False: it is gone; a later attempt may have written the same path, which is removed by now.
  bool Copy(const std::string& path, const std::string& url,
            const std::vector<std::string>& staying);
  void Restore(const std::string& url, const std::string& path);
  // Called by the ledger's watch: a checkpoint is now known; a job is placed.
  void Record(JobId job, const Checkpoint& checkpoint);
  void Place(JobId job);

 private:
  struct Saved {
    JobId job;
    int64_t step = 0;
    bool is_whole = false;
  };
  void Expect(bool holds, const std::string& what);

  Timeline& timeline_;
  Findings& findings_;
  std::map<std::string, Saved> on_disk_;  // by path
  std::map<std::string, Saved> copied_;   // by URL
  std::set<std::tuple<JobId, std::string, int64_t>>
      written_;                         // all complete checkpoints ever written
  std::map<JobId, Checkpoint> newest_;  // known and complete
  std::map<JobId, int64_t> step_when_placed_;
};

}  // namespace gp
