#pragma once

// The processes that the supervisor started itself and what became of them.  It reaps everything:
// orphans of the job become its children too and leave no trace here.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "supervisor/child_process.h"
#include "supervisor/exec_session.h"

namespace gp {

enum class Role { kMain, kExec, kHook, kCheck, kDiscard, kFirst };

struct Child {
  pid_t pid = 0;
  Role role = Role::kMain;
  Descriptor start_failure;  // open until it is known whether the program runs
  std::string failure;       // why it never ran
  EndCause failure_cause = EndCause::kCouldNotStart;
  std::optional<ExecSession> session;  // of an exec
};

struct Exit {
  Child child;
  int wait_status = 0;
};

class Children {
 public:
  Status Start(Role role, const ChildPlan& plan, std::optional<ExecSession> session);
  // One that was started otherwise.
  void Add(Role role, pid_t pid);

  // Ours that were started and not yet reaped.
  std::vector<Child>& list() { return list_; }
  bool Has(Role role) const;
  void Kill(Role role) const;
  // Reads what the starting child says.  True: it is known now whether the program runs.
  static bool LearnStart(Child& child);
  // Every child that ended since the last call; orphans are reaped silently.
  std::vector<Exit> Reap();
  // After Reap: no child is left, neither ours nor adopted.
  bool none_left() const { return none_left_; }
  // SIGKILL to every direct child but those that look at something.  Where there is no cgroup:
  // their orphans come to us and are direct children at the next call.
  void KillDirect() const;

 private:
  std::vector<Child> list_;
  bool none_left_ = true;
};

}  // namespace gp
