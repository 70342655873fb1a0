#pragma once

// What jobs wait for before they are queued: what other jobs come to.

#include <string>

#include "domain/cluster/state.h"

namespace gp {

enum class Prospect { kMet, kOpen, kImpossible };

// Whether the other job, or all of the array, has come to what is asked, may yet, or never will.
// One that is not known never will.  Of an array one failure is enough for kFailed.
Prospect ProspectOf(const State& state, const Dependency& dependency);

// Of all that the job waits for: kImpossible outweighs kOpen.
Prospect ProspectOf(const State& state, const JobSpec& spec);

// "job-3 to complete, job-4 to end": what is open; of kImpossible: "job-3 FAILED, and was to
// complete".
std::string TellOpen(const State& state, const JobSpec& spec);
std::string TellImpossible(const State& state, const JobSpec& spec);

// What it came to, or its array, still matters to somebody.
bool IsWaitedFor(const State& state, const Job& job);

// Enters a blocked job into the indexes of those that wait for others, or takes it out.
void IndexBlocked(State& state, const Job& job);
void UnindexBlocked(State& state, const Job& job);
// The other job has come to something: whoever waited for that, of it or of its array, is due.
void NoteProgress(State& state, const Job& other);

}  // namespace gp
