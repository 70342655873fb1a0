#pragma once

// The processes that the supervisor started, and how they ended.  The supervisor also reaps orphans
// of the job, which become its children; they are not listed here.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "supervisor/process/child_process.h"
#include "supervisor/process/exec_session.h"

namespace gp {

enum class ChildRole { kMain, kExec, kHook, kCheck, kDiscard, kFirst };

struct Child {
  pid_t pid = 0;
  ChildRole role = ChildRole::kMain;
  Descriptor start_failure;  // open until it is known whether the program runs
  std::string failure;       // why the program never ran
  EndCause failure_cause = EndCause::kCouldNotStart;
  std::optional<ExecSession> session;  // of an exec
};

struct Exit {
  Child child;
  int wait_status = 0;
};

// The list of the supervisor's own children.  The supervisor's single thread calls it.
class Children {
 public:
  Status Start(ChildRole role, const ChildPlan& plan, std::optional<ExecSession> session);
  // Adds a child that was started in another way.
  void Add(ChildRole role, pid_t pid);

  // Children that were started here and are not reaped yet.
  std::vector<Child>& list() { return list_; }
  bool Has(ChildRole role) const;
  void Kill(ChildRole role) const;
  // Reads from the starting child.  True: it is now known whether the program runs.
  static bool LearnStart(Child& child);
  // Children that ended since the last call; orphans are reaped but not returned.
  std::vector<Exit> Reap();
  // After Reap: no child is left, neither one started here nor an orphan.
  bool none_left() const { return none_left_; }
  // Sends SIGKILL to every direct child except checks.  For hosts without cgroups: orphans of
  // killed processes become direct children and are killed by the next call.
  void KillDirect() const;

 private:
  std::vector<Child> list_;
  bool none_left_ = true;
};

}  // namespace gp
