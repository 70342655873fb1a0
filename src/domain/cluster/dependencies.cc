#include "domain/cluster/dependencies.h"

#include <algorithm>

namespace gp {
namespace {

bool HasStarted(const Job& job) {
  return std::ranges::any_of(job.attempts, [](const AttemptRecord& attempt) { return attempt.started_at.ns != 0; });
}

bool HasFailed(const Job& job) { return job.state == JobState::kFailed || job.state == JobState::kTimeout; }

const char* Wish(AfterKind kind) {
  switch (kind) {
    case AfterKind::kOk: return "to complete";
    case AfterKind::kEnded: return "to end";
    case AfterKind::kStarted: return "to start";
    case AfterKind::kFailed: return "to fail";
  }
  return "?";
}

}  // namespace

Prospect ProspectOf(const State& state, const Dependency& dependency) {
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
    text += (text.empty() ? "waits for " : ", ") + ToText(dependency.job) + " " + Wish(dependency.kind);
  }
  return text;
}

std::string TellImpossible(const State& state, const JobSpec& spec) {
  for (const Dependency& dependency : spec.after) {
    if (ProspectOf(state, dependency) != Prospect::kImpossible) continue;
    const Job* other = state.FindJob(dependency.job);
    return ToText(dependency.job) + " " + (other == nullptr ? "is not known" : Name(other->state)) + ", and was " + Wish(dependency.kind) + " first";
  }
  return "";
}

void IndexBlocked(State& state, const Job& job) {
  for (const Dependency& dependency : job.spec->after) state.dependents.insert({dependency.job, job.id});
  if (ProspectOf(state, *job.spec) != Prospect::kOpen) state.decided.insert(job.id);
}

void UnindexBlocked(State& state, const Job& job) {
  for (const Dependency& dependency : job.spec->after) state.dependents.erase({dependency.job, job.id});
  state.decided.erase(job.id);
}

void NoteProgress(State& state, JobId other) {
  for (auto it = state.dependents.lower_bound({other, JobId{}}); it != state.dependents.end() && it->first == other; ++it) {
    if (ProspectOf(state, *state.FindJob(it->second)->spec) != Prospect::kOpen) state.decided.insert(it->second);
  }
}

}  // namespace gp
