#pragma once

// Arrays in the state: whom a name means, and the count of what has become of their elements.

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/cluster/state.h"

namespace gp {

// The elements that are known, in their order; empty: there is no such array.
std::vector<JobId> ElementsOf(const State& state, JobId array);

// As people name it; of one that is forgotten only its number is left.
std::string NameOf(const State& state, JobId id);

// The array, where the name means all of one that is known.
std::optional<JobId> ArrayNamed(const State& state, std::string_view name);

// The one job meant.  kInvalidArgument: it is no name, or means several; kNotFound.
Result<JobId> FindJobNamed(const State& state, std::string_view name);
// All jobs meant: of an array the elements that are known.  kInvalidArgument, kNotFound.
Result<std::vector<JobId>> FindJobsNamed(const State& state, std::string_view name);

// Whether the array that the job names is there and has a place for it.
bool IsElement(const State& state, const Job& job);

// Nothing else that was submitted with it is known.
bool IsLastKnown(const State& state, const Job& job);

// An element has started for the first time, has ended, or is forgotten.  Jobs of no array are not
// counted.
void CountStart(State& state, const Job& job);
void CountEnd(State& state, const Job& job);
void CountForgotten(State& state, const Job& job);

}  // namespace gp
