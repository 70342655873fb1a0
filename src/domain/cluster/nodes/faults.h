#pragma once

// Queries about faulty GPUs and nodes: docs/faults.md.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

const GpuTrouble* FindTrouble(const State& state, const GpuKey& key);
const Gpu& GpuAt(const State& state, const GpuKey& key);

// Whether the pool's breaker is open: no automatic reset or drain until an operator closes its
// incident.
bool IsBreakerOpen(const State& state, const std::string& pool);

// GPUs of the pool automatically taken out of service within the window, and the number of their
// nodes.
int64_t CountOutOfService(const State& state, const std::string& pool, Instant at);
int64_t CountNodesOutOfService(const State& state, const std::string& pool, Instant at);

// Whether those are too many to continue without an operator.
bool IsBreakerDue(const State& state, const std::string& pool, Instant at);

// Whether the GPU's remedy can begin now: nobody uses the GPU and nothing else prevents it.
bool IsRemedyReady(const State& state, const GpuKey& key);

// Whether the GPU has had errors of many users, and many more than other GPUs.  Visits all GPUs
// with errors, but only if this one has many.
bool IsSuspicious(const State& state, const GpuKey& key, const GpuTrouble& trouble, int xid,
                  Instant at);

// Whether a failure of the node now counts as a new one: failures within an hour count as one.
bool IsAnotherFailure(const Node& node, Instant at);

// Whether the node, which fails once more now, fails much more often than the others.  Visits all
// nodes, but only if this one has many failures.
bool IsLemon(const State& state, const Node& node, Instant at);

// The XIDs of a GPU within `span` before `at`.
std::set<int> XidsNear(const GpuTrouble& trouble, Instant at, Duration span);
// Whether the same XID came within a day, but longer ago than `span`.
bool IsRepeated(const GpuTrouble& trouble, int xid, Instant at, Duration span);

// Whether an error of the GPU excuses the failure that ends the attempt now.
bool IsForgiven(const Job& job, Instant at);
// Whether the attempt failed with its MPS server, and no driver error names the client that caused
// it.
bool IsOfAnotherClient(const Job& job, const LeaseOutcome& outcome);

// Identifies a program, so that one that fails repeatedly counts once.
uint64_t DigestOf(const JobSpec& spec);

}  // namespace gp
