#pragma once

// What programs have written to go on from, on a disk that all hosts see, beside what the ledger
// knows of it.  A program that goes on must find what it is told, and no less than was known when
// it was given its place.

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "domain/model/checkpoint.h"
#include "domain/model/ids.h"
#include "simulation/world/findings.h"
#include "simulation/world/timeline.h"

namespace gp {

class Savings {
 public:
  Savings(Timeline& timeline, Findings& findings) : timeline_(timeline), findings_(findings) {}

  // Hosts: a program has written all of it, or a part; it begins, from there or (empty) from
  // nothing; a file is removed.
  void Write(JobId job, const std::string& path, int64_t step, bool is_whole);
  void Begin(JobId job, const std::string& from, int64_t step);
  void Remove(const std::string& path);
  // The ledger: a checkpoint is known from now on; a job is given a place.
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
  std::map<std::string, Saved> on_disk_;                       // by path
  std::set<std::tuple<JobId, std::string, int64_t>> written_;  // whole, ever
  std::map<JobId, Checkpoint> newest_;                         // known, complete
  std::map<JobId, int64_t> step_when_placed_;
};

}  // namespace gp
