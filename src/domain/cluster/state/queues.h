#pragma once

// The queues of the cluster, what they hold and what they may spend.

#include <map>
#include <string>

#include "domain/accounting/account.h"
#include "domain/metering/budget.h"
#include "domain/model/queue.h"

namespace gp {

struct QueueStore {
  std::map<std::string, Queue> all{{kDefaultQueue, {.name = kDefaultQueue}}};  // by path
  std::map<AccountId, Account> accounts;  // none for those that never held anything
  std::map<BudgetKey, Budget> budgets;
  std::map<BudgetUser, BudgetLevel> budget_levels;  // of users that reached one this month

  // Whether there are queues below it; then it has no jobs itself.
  bool HasChildren(const std::string& queue) const;
};

}  // namespace gp
