#include "domain/cluster/dependencies.h"

#include <algorithm>
#include <array>

namespace gp {
namespace {

const char* Wish(AfterKind kind) {
  switch (kind) {
    case AfterKind::kOk: return "to complete";
    case AfterKind::kEnded: return "to end";
    case AfterKind::kStarted: return "to start";
    case AfterKind::kFailed: return "to fail";
  }
  return "?";
}

// What all of the array come to; of failures one is enough.
Prospect ProspectOf(const Array& array, AfterKind kind) {
  const auto judge = [](bool met, bool impossible) { return met ? Prospect::kMet : impossible ? Prospect::kImpossible : Prospect::kOpen; };
  const bool is_over = array.ended == array.count;
  switch (kind) {
    case AfterKind::kOk: return judge(array.completed == array.count, array.completed < array.ended);
    case AfterKind::kEnded: return judge(is_over, false);
    case AfterKind::kStarted: return judge(array.started == array.count, array.unstarted > 0);
    case AfterKind::kFailed: return judge(array.failed > 0, is_over);
  }
  return Prospect::kImpossible;
}

// "job-0003", or of an array "job-0003[*]".
std::string NameOf(const State& state, JobId id) { return ToText(id) + (state.arrays.contains(id) ? "[*]" : ""); }

// What the other came to instead of what was wished: "FAILED", "1 of 6 completed".
std::string Fate(const State& state, JobId id) {
  if (const auto found = state.arrays.find(id); found != state.arrays.end()) {
    const Array& array = found->second;
    return "ended with " + std::to_string(array.completed) + " completed and " + std::to_string(array.failed) + " failed of " + std::to_string(array.ended);
  }
  const Job* job = state.FindJob(id);
  return job == nullptr ? "is not known" : Name(job->state);
}

}  // namespace

Prospect ProspectOf(const State& state, const Dependency& dependency) {
  if (const auto array = state.arrays.find(dependency.job); array != state.arrays.end()) return ProspectOf(array->second, dependency.kind);
  const Job* other = state.FindJob(dependency.job);
  if (other == nullptr) return Prospect::kImpossible;
  bool met = false;
  switch (dependency.kind) {
    case AfterKind::kOk: met = other->state == JobState::kCompleted; break;
    case AfterKind::kEnded: met = IsTerminal(other->state); break;
    case AfterKind::kStarted: met = HasStarted(*other); break;
    case AfterKind::kFailed: met = HasFailed(*other); break;
  }
  if (met) return Prospect::kMet;
  return IsTerminal(other->state) ? Prospect::kImpossible : Prospect::kOpen;
}

Prospect ProspectOf(const State& state, const JobSpec& spec) {
  Prospect all = Prospect::kMet;
  for (const Dependency& dependency : spec.after) all = std::max(all, ProspectOf(state, dependency));
  return all;
}

std::string TellOpen(const State& state, const JobSpec& spec) {
  std::string text;
  for (const Dependency& dependency : spec.after) {
    if (ProspectOf(state, dependency) != Prospect::kOpen) continue;
    text += (text.empty() ? "waits for " : ", ") + NameOf(state, dependency.job) + " " + Wish(dependency.kind);
  }
  return text;
}

std::string TellImpossible(const State& state, const JobSpec& spec) {
  for (const Dependency& dependency : spec.after) {
    if (ProspectOf(state, dependency) != Prospect::kImpossible) continue;
    return NameOf(state, dependency.job) + " " + Fate(state, dependency.job) + ", and was " + Wish(dependency.kind) + " first";
  }
  return "";
}

bool IsWaitedFor(const State& state, const Job& job) {
  return std::ranges::any_of(std::array{job.id, job.array}, [&](JobId waited_for) {
    const auto first = state.dependents.lower_bound({waited_for, JobId{}});
    return first != state.dependents.end() && first->first == waited_for;
  });
}

void IndexBlocked(State& state, const Job& job) {
  for (const Dependency& dependency : job.spec->after) state.dependents.insert({dependency.job, job.id});
  if (ProspectOf(state, *job.spec) != Prospect::kOpen) state.decided.insert(job.id);
}

void UnindexBlocked(State& state, const Job& job) {
  for (const Dependency& dependency : job.spec->after) state.dependents.erase({dependency.job, job.id});
  state.decided.erase(job.id);
}

void NoteProgress(State& state, const Job& other) {
  for (const JobId waited_for : {other.id, other.array}) {
    for (auto it = state.dependents.lower_bound({waited_for, JobId{}}); it != state.dependents.end() && it->first == waited_for; ++it) {
      if (ProspectOf(state, *state.FindJob(it->second)->spec) != Prospect::kOpen) state.decided.insert(it->second);
    }
  }
}

}  // namespace gp
