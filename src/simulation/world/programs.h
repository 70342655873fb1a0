#pragma once

// What really runs where, and has run: the truth that the ledger never sees.  Every start is
// checked against all programs that run at that instant.  The ranks of a gang begin their work when
// all of them run; if one ends early, the others wait forever.  The ledger's view is checked
// elsewhere (ledger_watch.h).

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
  size_t plan = 0;  // index in WorldPlan::jobs
  size_t host = 0;
  uint32_t uid = 0;
  std::vector<int> gpus;     // cards of the host (gpu_hardware.h) whose devices it may open
  std::string visible_gpus;  // as in its environment
  MigPart mig;               // its MIG instance; no slices: none
  CpuSet cpus;
  std::string image;  // digest of its image; empty: it has none
  int port = 0;       // where its ranks meet
  bool is_port_leased = false;
  Instant started_at;
  Instant ended_at;
  bool is_alive = false;
  bool is_complete = false;  // it reached its planned end
  bool is_hung = false;      // its supervisor has seen no progress for the time that its job allows
  int exit_code = 0;
  int signal = 0;
};

// Executes programs, and is called when one has reached its planned end.
class ProgramHost {
 public:
  virtual ~ProgramHost() = default;
  virtual void EndProgram(LeaseId lease, const ProgramPlan& plan) = 0;
};

// All programs of the world, on all hosts.
class Programs {
 public:
  Programs(Timeline& timeline, const WorldPlan& plan, Findings& findings)
      : timeline_(timeline), plan_(plan), findings_(findings) {}

  void Start(Program program, ProgramHost& host);
  void End(LeaseId lease, bool is_complete, int exit_code, int signal);
  // Whether it makes progress: it does not hang, and no rank of its gang is missing.
  bool GetsOn(LeaseId lease) const;
  // The same, as seen by its supervisor: from the first false on it counts as hung.
  bool ReportsProgress(LeaseId lease);

  // nullptr: it never started.
  const Program* Find(LeaseId lease) const;
  const std::set<LeaseId>& alive() const { return alive_; }
  std::vector<LeaseId> AliveOn(size_t host, int gpu) const;
  // Whether a rank 0 of this host listens on the port.
  bool IsPortUsed(size_t host, int port) const;
  const JobPlan& PlanOf(const Program& program) const { return plan_.jobs[program.plan]; }
  Duration cut() const { return cut_; }  // work of attempts that did not complete
  uint64_t starts() const { return starts_; }

 private:
  using AttemptKey = std::pair<JobId, int>;
  struct Entry {
    Program program;
    ProgramHost* host = nullptr;
  };
  void CheckTenants(const Program& mine);
  void CheckVisible(const Program& program);
  void CheckImage(const Program& program);
  void CheckPort(const Program& program);
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
  std::map<JobId, std::string> images_;  // digests that jobs began with
  Duration cut_;
  uint64_t starts_ = 0;
};

}  // namespace gp
