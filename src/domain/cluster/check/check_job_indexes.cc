#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/arrays.h"
#include "domain/cluster/check/invariant_parts.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/reservations.h"
#include "domain/cluster/state/job_indexes.h"

namespace gp {
namespace {

std::string Foreign(const std::string& index) {
  return "index of " + index + " has entries that do not belong there";
}

}  // namespace

void CheckIndexesOf(const State& state, const Job& job, Violations& found) {
  const auto report = [&](const std::string& what) {
    found.push_back({"index", ToText(job.id) + " (" + Name(job.state) + ")" + what});
  };
  const auto expect = [&](bool belongs, bool is_in, const char* index) {
    if (belongs != is_in) report(std::string(": index of ") + index + " is off");
  };
  VisitIndexes(state.jobs, job, [&](const char* name, const auto& index, const auto& row) {
    expect(row.belongs, row.entry && Contains(index, *row.entry), name);
  });
  const bool is_blocked = job.state == JobState::kBlocked;
  expect(is_blocked && ProspectOf(state, *job.spec) != Prospect::kOpen,
         state.jobs.decided.contains(job.id), "decided jobs");
  for (const Dependency& dependency : job.spec->policy.after)
    expect(is_blocked, state.jobs.dependents.contains({dependency.job, job.id}), "dependents");
  if (!job.destination.empty() && job.state != JobState::kCheckpointing &&
      job.state != JobState::kQueued)
    report(" has a destination, but is not being moved");
  for (const Reservation* maintenance : InTheWayOf(state, job)) {
    if (!state.jobs.maintenance_stops.contains({MaintenanceStopAt(*maintenance, job), job.id}))
      report(" is in the way of " + maintenance->name + ", and is not among those that leave");
  }
}

// With CheckIndexesOf of every job: an index of the right size that has all that belongs there has
// nothing else.
void CheckJobIndexSizes(const State& state, Violations& found) {
  std::map<std::string, size_t> wanted;
  std::set<std::pair<JobId, JobId>> dependents;
  std::set<std::pair<Instant, JobId>> maintenance_stops;
  std::set<JobId> requests;
  size_t limited = 0;
  for (const auto& [id, job] : state.jobs.all) {
    VisitIndexes(state.jobs, job, [&](const char* name, const auto&, const auto& row) {
      wanted[name] += row.belongs ? 1 : 0;
    });
    // A set, because a job may depend on another in two ways.
    for (const Dependency& dependency : job.spec->policy.after) {
      if (job.state == JobState::kBlocked) dependents.insert({dependency.job, id});
    }
    for (const Reservation* maintenance : InTheWayOf(state, job))
      maintenance_stops.insert({MaintenanceStopAt(*maintenance, job), id});
    if (!job.request_id.empty()) requests.insert(SubmittedAs(job));
    limited += HasEnd(job) ? 1 : 0;
  }
  const auto expect = [&](size_t belong, size_t size, const char* index) {
    if (belong != size) found.push_back({"index", Foreign(index)});
  };
  Job any;  // the sizes are the same for every job
  any.spec = std::make_shared<const JobSpec>();
  VisitIndexes(state.jobs, any, [&](const char* name, const auto& index, const auto&) {
    expect(wanted[name], SizeOf(index), name);
    if (HasEmptyGroup(index))
      found.push_back({"index", std::string("index of ") + name + " has an empty group"});
  });
  expect(dependents.size(), state.jobs.dependents.size(), "dependents");
  expect(maintenance_stops.size(), state.jobs.maintenance_stops.size(),
         "jobs in the way of maintenance");
  expect(requests.size(), state.jobs.by_request.size(), "requests");
  expect(limited, static_cast<size_t>(state.jobs.limited), "jobs that end");
}

}  // namespace gp
