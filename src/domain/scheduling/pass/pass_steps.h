#pragma once

// The steps of a pass: each is one policy, and pass.cc says in which order they run. A step reads
// the state and what the pass has planned before, and adds to the plan through PassScratch. Steps
// do not know each other.
//
// Before the queue, a step handles all jobs of one kind, and settles those that the queue is to
// pass over. Then the other steps try one job after the other, in queue order.

#include "domain/model/jobs/job_shape.h"
#include "domain/scheduling/pass/pass_scratch.h"

namespace gp {

// A moved job goes to its destination, and no other job gets the destination meanwhile.
// Reads: the jobs that move, and their destinations.
// Adds: a placement for each job that has stopped; for the others, what is free of the destination
// as held, and the quota that the job will need. Settles the jobs that wait.
void Migrate(PassScratch& pass);

// A job that a fault interrupted is tried before the queue for a while, and until it is placed, no
// other job gets the free GPUs of its old placement.
// Reads: the jobs that recover, and where their last attempts ran.
// Adds: what TryJob adds for each job; if that places it nowhere, what is free of its old placement
// as held, and the quota that it will need. Settles the jobs that wait.
void Recover(PassScratch& pass);

// A nominated job starts on the nodes that its victims leave, and no other job is placed there
// before; in the queue, its victims may come before it.
// Reads: the nominated jobs and their nodes.
// Adds: the placement of each job whose last victim has ended, and settles it; for the others, a
// reservation of their nodes against all jobs. A nomination that is no longer possible has no
// effect.
void Nominate(PassScratch& pass);

// A job starts now on the best nodes for it, unless a quota stops it. `shape`: of the job.
// Reads: the ranking of the shape, the nodes closed to the job, quotas.
// Adds: a placement. False: none.
bool Allocate(PassScratch& pass, const Job& job, const JobShape& shape);

// A job that fits nowhere evicts the cheapest jobs that it may preempt, and is nominated to the
// nodes that they leave. REQUIRES: no quota stops the job.
// Reads: which running jobs it may preempt, and the nodes reserved for other jobs.
// Adds: an eviction for each victim, and a reservation of the nodes against all jobs; if time alone
// makes more jobs eligible, a time to look again. False: no evictions.
bool Preempt(PassScratch& pass, const Job& job);

// The first job of a pool that does not fit and has waited for long enough gets a backfill
// reservation: on the nodes where it can start first, only jobs that end before its start are
// placed. If a job without a time limit is in its way, it reserves the emptiest nodes that could
// hold it, and only jobs with a time limit are placed there. If the nodes in service cannot hold it
// even when empty, it reserves nothing.
// `only_if_sure`: the job has victims that are still running, so it keeps its nominated nodes
// unless its start is known.
// Reads: when nodes become free, by the time limits of jobs.
// Adds: backfill reservations, and the job on its quotas, so that later jobs do not use them up.
void Reserve(PassScratch& pass, const Job& job, bool only_if_sure);
// Whether Reserve would look for nodes: the job has waited for long enough, and no other job of its
// pool has a backfill reservation from this pass.
bool MayReserve(const PassScratch& pass, const Job& job);

// The steps of the queue for one job: Allocate, and if it fits nowhere, Preempt and Reserve.
// `shape`: of the job.
// False: no other job of its equivalence class needs to be tried in this pass.
bool TryJob(PassScratch& pass, const Job& job, const JobShape& shape);

}  // namespace gp
