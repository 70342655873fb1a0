#pragma once

// Dependencies: the outcomes of other jobs that a job waits for before it is queued.

#include <string>

#include "domain/cluster/state/state.h"

namespace gp {

enum class Prospect { kMet, kOpen, kImpossible };

// Whether the other job, or the whole array, has met the dependency, still may, or never will.  An
// unknown job never will.  For kFailed one failed element of an array is enough.
Prospect ProspectOf(const State& state, const Dependency& dependency);

// The same of all dependencies of the job: kImpossible outweighs kOpen.
Prospect ProspectOf(const State& state, const JobSpec& spec);

// The open dependencies, such as "job-3 to complete, job-4 to end"; the impossible ones, such as
// "job-3 FAILED, and was to complete".
std::string TellOpen(const State& state, const JobSpec& spec);
std::string TellImpossible(const State& state, const JobSpec& spec);

// Whether another job depends on this job or its array.
bool IsWaitedFor(const State& state, const Job& job);

// Adds a blocked job to the indexes of dependencies, or removes it.
void IndexBlocked(State& state, const Job& job);
void UnindexBlocked(State& state, const Job& job);
// The other job has progressed: rechecks the jobs that depend on it or on its array.
void NoteProgress(State& state, const Job& other);

}  // namespace gp
