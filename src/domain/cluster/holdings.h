#pragma once

// What jobs hold and will hold, counted on the accounts of their queues, users and arrays.

#include <map>
#include <vector>

#include "domain/accounting/account.h"
#include "domain/cluster/state.h"

namespace gp {

using Holdings = std::map<AccountId, Holding>;

// The accounts that a job counts on: its queue and those above, its user in each, and its array
// where that limits how many of its elements run.
std::vector<AccountId> AccountsOf(const Job& job);
// The array's, in whichever queue its elements would stand.
AccountId AccountOf(JobId array);
// What the account of its array may hold.
Quota LimitOf(const Job& element);

Meter MeterOf(const Policy& policy);

// What is held on the account; nothing where there is none.
Holding HeldNow(const State& state, const AccountId& id);
// That and what is planned on top of it.
int64_t HeldOrPlanned(const State& state, const Holdings& planned, const AccountId& id,
                      int64_t Holding::* what);
// The account with its sums as of `at`; an empty one where there is none.
Account AccountAt(const State& state, const AccountId& id, Instant at);

// Whether what the job holds cannot be taken back: it is not preemptible, or its queue not
// reclaimable.
bool IsFirm(const State& state, const Job& job);

// What a grant counts on accounts, in thousandths of a GPU: its part of the compute or of the
// memory, whichever is more.  Who asks for memory alone keeps others from it all the same.
int64_t CountedShare(const GpuGrant& grant, const GpuFacts& facts);
int64_t CountedShare(const State& state, const Lease& lease);

// What it holds now.
Holding HoldingOf(const State& state, const Job& job);
// What all its ranks will hold.
Holding AskOf(const State& state, const Job& job);

// Counts a change of what the job holds on all its accounts.
void Charge(State& state, Instant at, const Job& job, const Holding& change);
// What all leases come to, by account; accounts that hold nothing are not in it.
Holdings CountHoldings(const State& state);

}  // namespace gp
