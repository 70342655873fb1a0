#pragma once

// The queues of the cluster, what they hold and what they may spend.

#include <map>
#include <string>

#include "domain/accounting/account.h"
#include "domain/accounting/wait_record.h"
#include "domain/metering/budget.h"
#include "domain/model/queue.h"

namespace gp {

struct QueueStore {
  std::map<std::string, Queue> all{{kDefaultQueue, {.name = kDefaultQueue}}};  // by path
  std::map<AccountId, Account> accounts;  // none for those that never held anything
  std::map<BudgetKey, Budget> budgets;
  std::map<BudgetUser, BudgetLevel> budget_levels;  // of users that reached one this month

  // How soon jobs of queues with a target started
  std::map<std::string, WaitRecord> waits;
  // An index: the target in force, the shortest of the queue's own and of those above it
  std::map<std::string, Duration> wait_targets;

  // 0: the queue has none in force.
  Duration WaitTargetOf(const std::string& queue) const;
  // Makes the index of targets again, and removes the records of queues without one.
  void IndexWaitTargets();
  // Whether there are queues below it; then it has no jobs itself.
  bool HasChildren(const std::string& queue) const;
};

}  // namespace gp
