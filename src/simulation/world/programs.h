#pragma once

// What really runs where, and ran: the truth that the ledger never sees.  Every start is checked
// against all that runs at that instant.  The ranks of a gang work from the moment that all of them
// run, as they wait for each other; where one ends before its time the others wait for ever. Not
// checked here: what the ledger says of it (ledger_watch.h).

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ports/outbound/attempt_runner.h"
#include "simulation/world/findings.h"
#include "simulation/world/timeline.h"
#include "simulation/world/world_plan.h"

namespace gp {

// One rank of an attempt, as its host knows it.
struct Program {
  LeaseId lease;
  JobId job;
  int attempt = 0;
  int rank = 0;
  int ranks = 1;
  size_t plan = 0;  // of WorldPlan::jobs
  size_t host = 0;
  uint32_t uid = 0;
  std::vector<int> gpus;     // cards of the host (gpu_hardware.h), by the devices that it may open
  std::string visible_gpus;  // as its environment names them
  MigPart mig;               // the instance that it has; no slices: none
  CpuSet cpus;
  Instant started_at;
  Instant ended_at;
  bool is_alive = false;
  bool is_complete = false;  // came to the end that was planned
  bool is_hung = false;      // its supervisor has seen no progress for as long as its job allows
  int exit_code = 0;
  int signal = 0;
};

// Whoever executes programs is told when one has come to its planned end.
class ProgramHost {
 public:
  virtual ~ProgramHost() = default;
  virtual void EndProgram(LeaseId lease, const ProgramPlan& plan) = 0;
};

class Programs {
 public:
  Programs(Timeline& timeline, const WorldPlan& plan, Findings& findings)
      : timeline_(timeline), plan_(plan), findings_(findings) {}

  void Start(Program program, ProgramHost& host);
  void End(LeaseId lease, bool is_complete, int exit_code, int signal);
  // Whether it gets on: it does not hang, and no rank of its gang is missing.
  bool GetsOn(LeaseId lease) const;
  // The same, looked at by its supervisor: from the first false on it counts as hung.
  bool ReportsProgress(LeaseId lease);

  // nullptr: never started.
  const Program* Find(LeaseId lease) const;
  const std::set<LeaseId>& alive() const { return alive_; }
  std::vector<LeaseId> AliveOn(size_t host, int gpu) const;
  const JobPlan& PlanOf(const Program& program) const { return plan_.jobs[program.plan]; }
  Duration cut() const { return cut_; }  // work of attempts that did not come to their end
  uint64_t starts() const { return starts_; }

 private:
  using AttemptKey = std::pair<JobId, int>;
  struct Entry {
    Program program;
    ProgramHost* host = nullptr;
  };
  void CheckTenants(const Program& mine);
  void CheckVisible(const Program& program);
  void CheckTenants(const Program& mine, const Program& other);
  std::string WhyApart(const Program& mine, const Program& other) const;
  void BeginWork(const AttemptKey& key);
  bool IsIntact(const AttemptKey& key) const;
  void Note(const char* what, const Program& program);

  Timeline& timeline_;
  const WorldPlan& plan_;
  Findings& findings_;
  std::map<LeaseId, Entry> entries_;
  std::set<LeaseId> alive_;
  std::map<AttemptKey, std::vector<LeaseId>> gangs_;
  Duration cut_;
  uint64_t starts_ = 0;
};

}  // namespace gp
