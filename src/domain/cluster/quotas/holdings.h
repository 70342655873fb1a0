#pragma once

// What jobs hold or will hold, counted on the accounts of their queues, users and arrays.

#include <map>
#include <vector>

#include "domain/accounting/account.h"
#include "domain/cluster/state/state.h"

namespace gp {

using Holdings = std::map<AccountId, Holding>;

// The accounts that a job counts on: its queue and the queues above, its user in each, and its
// array if the array limits how many elements run.
std::vector<AccountId> AccountsOf(const Job& job);
// The array's account, whichever queue its elements are in.
AccountId AccountOf(JobId array);
// The limit of the account of the element's array.
Quota LimitOf(const Job& element);

Meter MeterOf(const Policy& policy);

// What the account holds; nothing if there is no such account.
Holding HeldNow(const State& state, const AccountId& id);
// The same plus what is planned.
int64_t HeldOrPlanned(const State& state, const Holdings& planned, const AccountId& id,
                      int64_t Holding::* what);
// The account with its sums as of `at`; empty if there is none.
Account AccountAt(const State& state, const AccountId& id, Instant at);

// Whether the job's holding cannot be taken back: the job is not preemptible, or its queue is not
// reclaimable.
bool IsFirm(const State& state, const Job& job);

// What a grant counts on accounts, in thousandths of a GPU: its part of the compute or of the
// memory, whichever is more.  Memory alone counts too, because others cannot use it.
int64_t CountedShare(const GpuGrant& grant, const GpuFacts& facts);
int64_t CountedShare(const State& state, const Lease& lease);

// What the job holds now.
Holding HoldingOf(const State& state, const Job& job);
// What all ranks of the job will hold.
Holding AskOf(const State& state, const Job& job);

// Adds a change of the job's holding to all its accounts.
void Charge(State& state, Instant at, const Job& job, const Holding& change);
// The sum of all leases, by account; accounts that hold nothing are not in it.
Holdings CountHoldings(const State& state);
// Sets what each account holds to that sum.
void CountHoldingsAgain(State& state);

}  // namespace gp
