#include <algorithm>
#include <set>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

// The GPUs that the command names.
std::vector<int> Targets(const Node& node, int gpu) {
  if (gpu >= 0) return {gpu};
  std::vector<int> all;
  for (int i = 0; i < static_cast<int>(node.gpus.size()); ++i) {
    if (!IsRetired(*node.facts, i)) all.push_back(i);
  }
  return all;
}

std::set<JobId> JobsOn(const State& state, const Node& node, const std::vector<int>& gpus) {
  std::set<JobId> jobs;
  for (const int gpu : gpus) {
    for (const LeaseId id : node.gpus[static_cast<size_t>(gpu)].leases)
      jobs.insert(state.FindLease(id)->job);
  }
  return jobs;
}

std::string Label(const Node& node, int gpu) {
  return gpu < 0 ? "node " + node.facts->name : node.facts->gpus[static_cast<size_t>(gpu)].uuid;
}

std::string NamesOf(const State& state, const std::set<JobId>& jobs) {
  std::vector<std::string> names;
  for (const JobId job : jobs) names.push_back(NameOf(state, job));
  return Join(names, ", ");
}

// A job that is only being stopped may have a long grace left.
bool IsBeingKilled(const State& state, const Job& job) {
  return std::ranges::all_of(
      job.leases, [&](LeaseId id) { return state.FindLease(id)->stop == StopOrder::kKill; });
}

// Stops jobs by force: with their grace; jobs that are already stopping have had it.
void Evict(const State& state, const std::set<JobId>& jobs, const std::string& reason,
           Events& events) {
  for (const JobId id : jobs) {
    const Job& job = *state.FindJob(id);
    if (IsBeingKilled(state, job)) continue;
    events.push_back(JobStopOrdered{
        id, StopCause::kDrain,
        job.stop == StopCause::kNone ? StopOrder::kGraceful : StopOrder::kKill, reason});
  }
}

// Stops jobs with their grace: they save their work and resume elsewhere.
void StopGracefully(const State& state, const std::set<JobId>& jobs, const std::string& reason,
                    Events& events) {
  for (const JobId job : jobs) {
    if (state.FindJob(job)->stop != StopCause::kNone) continue;
    events.push_back(JobStopOrdered{job, StopCause::kDrain, StopOrder::kGraceful, reason});
  }
}

// Drain: nothing new starts there (cordon), and jobs leave by the deadline, if there is one.  A
// repeated drain replaces the earlier one, with its deadline.
void Drain(const State& state, Instant at, const Node& node, const std::vector<int>& gpus,
           const ChangeService& command, Events& events) {
  const bool had_deadline = state.nodes.drain_deadlines.contains({node.id, command.gpu});
  if (command.deadline.ns > 0) {
    events.push_back(DrainDeadlineSet{node.id, command.gpu, at + command.deadline});
  } else if (had_deadline) {
    events.push_back(DrainDeadlineSet{node.id, command.gpu, {}});
  }
  if (command.gpu < 0) events.push_back(NodeDrainChanged{node.id, true, command.reason});
  for (const int i : gpus) {
    const Gpu& gpu = node.gpus[static_cast<size_t>(i)];
    events.push_back(GpuDrainChanged{node.id, i, true, command.reason});
    if (gpu.leases.empty() && CanBecome(gpu.condition, GpuCondition::kOffline)) {
      events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kOffline, command.reason});
    }
  }
}

Status Offline(const State& state, const Node& node, const std::vector<int>& gpus,
               const ChangeService& command, Events& events) {
  const std::set<JobId> jobs = JobsOn(state, node, gpus);
  if (!jobs.empty() && !command.force)
    return Fail(Conflict(Label(node, command.gpu) + " runs " + NamesOf(state, jobs) +
                         ". Use drain to let it finish, or --force to stop it now"));
  if (command.gpu < 0) events.push_back(NodeDrainChanged{node.id, true, command.reason});
  for (const int i : gpus) {
    events.push_back(GpuDrainChanged{node.id, i, true, command.reason});
    if (CanBecome(node.gpus[static_cast<size_t>(i)].condition, GpuCondition::kOffline)) {
      events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kOffline, command.reason});
    }
  }
  Evict(state, jobs, Label(node, command.gpu) + " was taken offline", events);
  return Ok();
}

// An operator's drain of a node drains each of its GPUs too, and ends when the first GPU is put
// online: the others stay drained individually.  A drain by a fault applies to the node alone, and
// its end would free all GPUs.
bool EndsDrainOfNode(const Node& node, const ChangeService& command) {
  if (command.gpu < 0 || !node.draining) return command.gpu < 0;
  for (int i = 0; i < static_cast<int>(node.gpus.size()); ++i) {
    if (i != command.gpu && !IsRetired(*node.facts, i) &&
        !node.gpus[static_cast<size_t>(i)].draining)
      return false;
  }
  return true;
}

// A GPU returns to service only after a test.
void Online(const State& state, const Node& node, const std::vector<int>& gpus,
            const ChangeService& command, Events& events) {
  uint64_t last_task = state.faults.last_task;
  const bool ends_of_node = EndsDrainOfNode(node, command);
  for (auto due = state.nodes.drain_deadlines.lower_bound({node.id, -1});
       due != state.nodes.drain_deadlines.end() && due->first.node == node.id; ++due) {
    const int gpu = due->first.gpu;
    if (ends_of_node || gpu == command.gpu) events.push_back(DrainDeadlineSet{node.id, gpu, {}});
  }
  if (ends_of_node) events.push_back(NodeDrainChanged{node.id, false, ""});
  for (const int i : gpus) {
    const Gpu& gpu = node.gpus[static_cast<size_t>(i)];
    if (gpu.draining) events.push_back(GpuDrainChanged{node.id, i, false, ""});
    if (node.facts->gpus[static_cast<size_t>(i)].presence == GpuPresence::kMissing) {
      // It is tested when it is back.
      if (gpu.condition == GpuCondition::kOffline)
        events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kLost, "is missing"});
      continue;
    }
    const GpuTrouble* trouble = FindTrouble(state, {node.id, i});
    const auto test_later = [&] {
      events.push_back(GpuRemedyChanged{node.id, i, GpuRemedy::kTest,
                                        trouble == nullptr ? IncidentId{} : trouble->incident,
                                        false, true});
    };
    if (gpu.condition == GpuCondition::kLost) {
      // It has no readings yet, as just after a reboot: the test follows its first reading.
      test_later();
      if (node.condition == NodeCondition::kUp) {
        events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kUnknown, ""});
        events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kTesting,
                                             "waits for its first reading, then for a test"});
      }
      continue;
    }
    if (gpu.condition == GpuCondition::kOffline || gpu.condition == GpuCondition::kQuarantined) {
      if (!gpu.leases.empty()) {  // its jobs have to end first
        test_later();
        continue;
      }
      if (trouble != nullptr && trouble->remedy != GpuRemedy::kNone)
        events.push_back(GpuRemedyChanged{node.id, i, GpuRemedy::kNone, trouble->incident, false});
      events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kTesting,
                                           "is being tested, to be back in service"});
      events.push_back(GpuTaskOrdered{node.id, i, GpuTask::kTest, ++last_task, false});
    }
  }
}

// An operator's reset: neither the daily limit of resets nor a breaker prevents it.
Status Reset(const State& state, const Node& node, const std::vector<int>& gpus,
             const ChangeService& command, Events& events) {
  for (const int i : gpus) {
    if (node.facts->gpus[static_cast<size_t>(i)].presence == GpuPresence::kMissing)
      return Fail(Conflict(Label(node, i) + " is missing from the node: nothing can be reset"));
    const GpuCondition condition = node.gpus[static_cast<size_t>(i)].condition;
    const GpuTrouble* trouble = FindTrouble(state, {node.id, i});
    if (trouble != nullptr && trouble->task != GpuTask::kNone) continue;
    if (condition != GpuCondition::kQuarantined) {
      if (!CanBecome(condition, GpuCondition::kQuarantined)) {
        return Fail(Conflict(Label(node, i) + " is " + Name(condition) +
                             (condition == GpuCondition::kOffline
                                  ? ": put it online first, and reset it after its test"
                                  : ": only a GPU in service or in quarantine can be reset")));
      }
      events.push_back(GpuConditionChanged{node.id, i, GpuCondition::kQuarantined,
                                           "is to be reset: " + Printable(command.reason)});
    }
    events.push_back(GpuRemedyChanged{node.id, i, GpuRemedy::kReset,
                                      trouble == nullptr ? IncidentId{} : trouble->incident, false,
                                      true});
  }
  const std::set<JobId> jobs = JobsOn(state, node, gpus);
  if (!jobs.empty() && !command.force)
    return Fail(
        Conflict(Label(node, command.gpu) + " runs " + NamesOf(state, jobs) +
                 ". Reset it when it is idle, or use --force to stop and requeue its jobs"));
  Evict(state, jobs, Label(node, command.gpu) + " is to be reset", events);
  return Ok();
}

}  // namespace

void EndDrains(const State& state, Instant at, Events& events) {
  for (const auto& [key, due] : state.nodes.drain_deadlines) {
    if (due > at) continue;
    events.push_back(DrainDeadlineSet{key.node, key.gpu, {}});
    const Node& node = *state.FindNode(key.node);
    std::set<JobId> jobs;
    if (key.gpu >= 0) {
      jobs = JobsOn(state, node, {key.gpu});
    } else {
      for (const LeaseId id : node.leases) jobs.insert(state.FindLease(id)->job);
    }
    StopGracefully(state, jobs, Label(node, key.gpu) + " is drained, and its deadline is over",
                   events);
  }
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ChangeService& command) {
  const Instant at = envelope.at;
  const Node* node = state.FindNode(command.node);
  if (node == nullptr)
    return Fail(NotFound("no node with id " + std::to_string(command.node.value)));
  if (command.gpu >= static_cast<int>(node->gpus.size()) ||
      (command.gpu >= 0 && IsRetired(*node->facts, command.gpu))) {
    return Fail(
        NotFound("node " + node->facts->name + " has no GPU " + std::to_string(command.gpu)));
  }
  const bool is_lost = command.gpu >= 0 && node->gpus[static_cast<size_t>(command.gpu)].condition ==
                                               GpuCondition::kLost;
  if (is_lost && command.action != ServiceAction::kOnline) {
    return Fail(Conflict(Label(*node, command.gpu) + " does not answer (LOST)"));
  }
  if (command.deadline.ns < 0 || command.deadline > kTimeLimitMax)
    return Fail(InvalidArgument("deadline: must be from 0s to " + ToText(kTimeLimitMax) + ", not " +
                                ToText(command.deadline)));
  const std::vector<int> gpus = Targets(*node, command.gpu);
  Events events;
  switch (command.action) {
    case ServiceAction::kDrain: Drain(state, at, *node, gpus, command, events); break;
    case ServiceAction::kOffline: GP_CHECK_OK(Offline(state, *node, gpus, command, events)); break;
    case ServiceAction::kOnline: Online(state, *node, gpus, command, events); break;
    case ServiceAction::kReset: GP_CHECK_OK(Reset(state, *node, gpus, command, events)); break;
  }
  return events;
}
AuditWords WordsFor(const State& state, const Events&, const ChangeService& command) {
  constexpr std::array kActions = {"drain", "offline", "online", "reset"};
  const std::string place = NodeName(state, command.node) +
                            (command.gpu < 0 ? "" : "[" + std::to_string(command.gpu) + "]");
  return {"ChangeService", place,
          std::string(kActions[static_cast<size_t>(command.action)]) +
              (command.force ? " by force" : "") + ": " + command.reason};
}

}  // namespace gp
