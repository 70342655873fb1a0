#pragma once

// Arrays in the state: which jobs a name means, and counts of started and ended elements.

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/cluster/state/state.h"

namespace gp {

// The known elements of an array, in order; empty: there is no such array.
std::vector<JobId> ElementsOf(const State& state, JobId array);

// The job's name for users; of a forgotten job only the number is left.
std::string NameOf(const State& state, JobId id);

// The array, if the name means all elements of a known array.
std::optional<JobId> ArrayNamed(const State& state, std::string_view name);

// The one job that the name means.  kInvalidArgument: not a name, or it means several jobs;
// kNotFound.
Result<JobId> FindJobNamed(const State& state, std::string_view name);
// All jobs that the name means; of an array the known elements.  kInvalidArgument, kNotFound.
Result<std::vector<JobId>> FindJobsNamed(const State& state, std::string_view name);

// Whether the job's array exists and the job's index lies in it.
bool IsElement(const State& state, const Job& job);

// Whether no other job of the same submission is known.
bool IsLastKnown(const State& state, const Job& job);

// Count that an element has started for the first time, has ended, or is forgotten.  Jobs of no
// array are not counted.
void CountStart(State& state, const Job& job);
void CountEnd(State& state, const Job& job);
void CountForgotten(State& state, const Job& job);

}  // namespace gp
