#include "domain/cluster/arrays.h"

#include <algorithm>

namespace gp {
namespace {

Array* ArrayOf(State& state, const Job& job) {
  return job.array.value == 0 ? nullptr : &state.jobs.arrays.at(job.array);
}

Error IsNoJob(const State& state, JobId id) {
  const auto array = state.jobs.arrays.find(id);
  if (array == state.jobs.arrays.end()) return NotFound("no job " + ToText(id));
  const std::string name = ToText(id);
  return InvalidArgument(name + " is an array of " + std::to_string(array->second.count) +
                         " jobs: name one of them, as " + name + "[0]");
}

// kNotFound: there is no such array, or it has no such elements.
Result<JobName::Elements> ClampToArray(const State& state, const JobName& name) {
  const auto array = state.jobs.arrays.find(name.job);
  if (array == state.jobs.arrays.end())
    return Fail(NotFound(ToText(name.job) + " is not an array"));
  JobName::Elements elements = *name.elements;
  elements.last = std::min(elements.last, array->second.count - 1);
  if (elements.first <= elements.last) return elements;
  return Fail(NotFound("array " + ToText(name.job) + " has elements 0 to " +
                       std::to_string(array->second.count - 1)));
}

}  // namespace

std::vector<JobId> ElementsOf(const State& state, JobId array) {
  std::vector<JobId> elements;
  for (auto job = state.jobs.all.lower_bound(array);
       job != state.jobs.all.end() && array.value != 0 && job->second.array == array; ++job) {
    elements.push_back(job->first);
  }
  return elements;
}

std::string NameOf(const State& state, JobId id) {
  const Job* job = state.FindJob(id);
  return job == nullptr ? ToText(id) : NameOf(*job);
}

std::optional<JobId> ArrayNamed(const State& state, std::string_view text) {
  const auto name = ParseJobName(text);
  const bool is_array = name && !name->elements && state.jobs.arrays.contains(name->job);
  return is_array ? std::optional(name->job) : std::nullopt;
}

Result<JobId> FindJobNamed(const State& state, std::string_view text) {
  const JobName name = GP_TRY(ParseJobName(text));
  if (!name.elements) {
    if (state.FindJob(name.job) == nullptr) return Fail(IsNoJob(state, name.job));
    return name.job;
  }
  const JobName::Elements elements = GP_TRY(ClampToArray(state, name));
  if (name.elements->first != name.elements->last) {
    return Fail(InvalidArgument("\"" + std::string(text) +
                                "\" means several jobs, and one is asked for: name it, as " +
                                ToText(name.job) + "[0]"));
  }
  const JobId id = ElementId(name.job, elements.first);
  if (state.FindJob(id) == nullptr)
    return Fail(NotFound("no job " + std::string(text) + " any more"));
  return id;
}

Result<std::vector<JobId>> FindJobsNamed(const State& state, std::string_view text) {
  JobName name = GP_TRY(ParseJobName(text));
  if (!name.elements && !state.jobs.arrays.contains(name.job))
    return std::vector{GP_TRY(FindJobNamed(state, text))};
  if (name.elements && name.elements->first == name.elements->last)
    return std::vector{GP_TRY(FindJobNamed(state, text))};
  if (!name.elements) name.elements = JobName::Elements{};
  const JobName::Elements wanted = GP_TRY(ClampToArray(state, name));
  std::vector<JobId> found = ElementsOf(state, name.job);
  std::erase_if(found, [&](JobId id) {
    return id < ElementId(name.job, wanted.first) || id > ElementId(name.job, wanted.last);
  });
  if (found.empty()) return Fail(NotFound("no job of " + std::string(text) + " any more"));
  return found;
}

bool IsElement(const State& state, const Job& job) {
  const auto array = state.jobs.arrays.find(job.array);
  return array != state.jobs.arrays.end() && ElementId(job.array, 0) <= job.id &&
         job.id < ElementId(job.array, array->second.count);
}

bool IsLastKnown(const State& state, const Job& job) {
  return job.array.value == 0 || state.jobs.arrays.at(job.array).known == 1;
}

void CountStart(State& state, const Job& job) {
  if (Array* array = ArrayOf(state, job)) ++array->started;
}

void CountEnd(State& state, const Job& job) {
  Array* array = ArrayOf(state, job);
  if (array == nullptr) return;
  ++array->ended;
  array->completed += job.state == JobState::kCompleted ? 1 : 0;
  array->failed += HasFailed(job) ? 1 : 0;
  array->unstarted += HasStarted(job) ? 0 : 1;
}

void CountForgotten(State& state, const Job& job) {
  Array* array = ArrayOf(state, job);
  if (array != nullptr && --array->known == 0) state.jobs.arrays.erase(job.array);
}

}  // namespace gp
