#include "domain/cluster/dependencies.h"
#include "domain/cluster/arrays.h"

#include <algorithm>
#include <map>

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

// The prospect of the whole array; one failure is enough for kFailed.
Prospect ProspectOf(const Array& array, AfterKind kind) {
  const auto judge = [](bool met, bool impossible) {
    return met ? Prospect::kMet : impossible ? Prospect::kImpossible : Prospect::kOpen;
  };
  const bool is_over = array.ended == array.count;
  switch (kind) {
    case AfterKind::kOk:
      return judge(array.completed == array.count, array.completed < array.ended);
    case AfterKind::kEnded: return judge(is_over, false);
    case AfterKind::kStarted: return judge(array.started == array.count, array.unstarted > 0);
    case AfterKind::kFailed: return judge(array.failed > 0, is_over);
  }
  return Prospect::kImpossible;
}

// "job-3", or "job-3[*]" for an array.
std::string NameOfAwaited(const State& state, JobId id) {
  return state.jobs.arrays.contains(id) ? ToText(id) + "[*]" : NameOf(state, id);
}

// The outcome that the other job had instead: "FAILED", or counts of an array.
std::string Fate(const State& state, JobId id) {
  if (const auto found = state.jobs.arrays.find(id); found != state.jobs.arrays.end()) {
    const Array& array = found->second;
    return "ended with " + std::to_string(array.completed) + " completed and " +
           std::to_string(array.failed) + " failed of " + std::to_string(array.ended);
  }
  const Job* job = state.FindJob(id);
  return job == nullptr ? "is not known" : Name(job->state);
}

}  // namespace

Prospect ProspectOf(const State& state, const Dependency& dependency) {
  if (const auto array = state.jobs.arrays.find(dependency.job); array != state.jobs.arrays.end())
    return ProspectOf(array->second, dependency.kind);
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
  for (const Dependency& dependency : spec.policy.after)
    all = std::max(all, ProspectOf(state, dependency));
  return all;
}

std::string TellOpen(const State& state, const JobSpec& spec) {
  std::string text;
  for (const Dependency& dependency : spec.policy.after) {
    if (ProspectOf(state, dependency) != Prospect::kOpen) continue;
    text += (text.empty() ? "waits for " : ", ") + NameOfAwaited(state, dependency.job) + " " +
            Wish(dependency.kind);
  }
  return text;
}

std::string TellImpossible(const State& state, const JobSpec& spec) {
  for (const Dependency& dependency : spec.policy.after) {
    if (ProspectOf(state, dependency) != Prospect::kImpossible) continue;
    return NameOfAwaited(state, dependency.job) + " " + Fate(state, dependency.job) + ", and was " +
           Wish(dependency.kind) + " first";
  }
  return "";
}

namespace {

bool HasDependents(const State& state, JobId waited_for) {
  const auto first = state.jobs.dependents.lower_bound({waited_for, JobId{}});
  return first != state.jobs.dependents.end() && first->first == waited_for;
}

// The counts of an array include forgotten elements: one known element keeps the array.
bool KeepsItsArray(const State& state, const Job& job) {
  if (job.array == JobId{}) return false;
  const auto next = state.jobs.all.upper_bound(job.id);
  return next == state.jobs.all.end() || next->second.array != job.array;
}

// Whether the element's new state may decide dependencies on its array: the counts reach a decision
// once, not with each element.
bool MayDecide(const Array& array, const Job& element) {
  if (!IsTerminal(element.state)) return array.started == array.count;
  if (array.ended == array.count) return true;
  if (element.state == JobState::kCompleted) return false;
  return array.ended - array.completed == 1 || (array.failed == 1 && HasFailed(element)) ||
         (array.unstarted == 1 && !HasStarted(element));
}

void Judge(State& state, JobId waited_for) {
  std::map<const JobSpec*, bool> known;  // many jobs share one spec
  for (auto it = state.jobs.dependents.lower_bound({waited_for, JobId{}});
       it != state.jobs.dependents.end() && it->first == waited_for; ++it) {
    const JobSpec& spec = *state.FindJob(it->second)->spec;
    const auto [is_decided, is_new] = known.try_emplace(&spec);
    if (is_new) is_decided->second = ProspectOf(state, spec) != Prospect::kOpen;
    if (is_decided->second) state.jobs.decided.insert(it->second);
  }
}

}  // namespace

bool IsWaitedFor(const State& state, const Job& job) {
  return HasDependents(state, job.id) ||
         (KeepsItsArray(state, job) && HasDependents(state, job.array));
}

void IndexBlocked(State& state, const Job& job) {
  for (const Dependency& dependency : job.spec->policy.after)
    state.jobs.dependents.insert({dependency.job, job.id});
  if (ProspectOf(state, *job.spec) != Prospect::kOpen) state.jobs.decided.insert(job.id);
}

void UnindexBlocked(State& state, const Job& job) {
  for (const Dependency& dependency : job.spec->policy.after)
    state.jobs.dependents.erase({dependency.job, job.id});
  state.jobs.decided.erase(job.id);
}

void NoteProgress(State& state, const Job& other) {
  Judge(state, other.id);
  const auto array = state.jobs.arrays.find(other.array);
  if (array != state.jobs.arrays.end() && MayDecide(array->second, other))
    Judge(state, other.array);
}

}  // namespace gp
