#pragma once

// Questions about what is the matter with GPUs: docs/faults.md.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/state.h"

namespace gp {

const GpuTrouble* FindTrouble(const State& state, const GpuKey& key);
const Gpu& GpuAt(const State& state, const GpuKey& key);

// Whether nothing is reset or drained by itself in the pool until a person has looked.
bool IsBreakerOpen(const State& state, const std::string& pool);

// GPUs of the pool taken out by themselves within the window, and the nodes that they are of.
int64_t CountOutOfService(const State& state, const std::string& pool, Instant at);
int64_t CountNodesOutOfService(const State& state, const std::string& pool, Instant at);

// Whether those are too many to go on without a person.
bool IsBreakerDue(const State& state, const std::string& pool, Instant at);

// Whether what is to be done about the GPU can begin now: nobody uses it and nothing stands against
// it.
bool IsRemedyReady(const State& state, const GpuKey& key);

// Whether the GPU has had errors of many users, and many more than others have.  Looks at all GPUs
// that had any, but only where its own are many.
bool IsSuspicious(const State& state, const GpuKey& key, const GpuTrouble& trouble, int xid,
                  Instant at);

// Whether a failure of the node now is another one: what comes within an hour is one accident.
bool IsAnotherFailure(const Node& node, Instant at);

// Whether the node, which fails now once more, fails much more often than the others.  Looks at all
// nodes, but only where its own failures are many.
bool IsLemon(const State& state, const Node& node, Instant at);

// The XIDs of a GPU that came so shortly before.
std::set<int> XidsNear(const GpuTrouble& trouble, Instant at, Duration span);
// Whether the same XID came within a day, and longer before than that.
bool IsRepeated(const GpuTrouble& trouble, int xid, Instant at, Duration span);

// Whether an error of the GPU excuses what ends the attempt now.
bool IsForgiven(const Job& job, Instant at);
// Whether the attempt failed with its MPS server, and no error of the driver says whose doing that
// was.
bool IsOfAnotherClient(const Job& job, const LeaseOutcome& outcome);

// When the open incident ends by itself; kNever: it does not.
Instant EndOf(const State& state, const Incident& incident);

// Tells programs apart, so that one that fails again and again counts once.
uint64_t DigestOf(const JobSpec& spec);

// Enters what follows from the GPU's trouble, or from the incident, into the indexes; sign -1:
// takes it out.
void IndexTrouble(State& state, const GpuKey& key, const GpuTrouble& trouble, int sign);
void IndexIncident(State& state, const Incident& incident, bool is_in);
// All of them anew.
void IndexIncidents(State& state);

}  // namespace gp
