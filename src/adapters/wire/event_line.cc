#include "adapters/wire/event_line.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "adapters/wire/event_line_draft.h"
#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/event_traits.h"

namespace gp {
namespace {

// Describes one event; one without a description has no line.
class Describer : public EventLineDraft {
 public:
  using EventLineDraft::EventLineDraft;

  void operator()(const JobSubmitted& event) {
    Begin(LogLevel::kInfo, "job_submitted");
    AddJob(event.job);
    Add("nodes_asked", event.spec->resources.nodes);
    Add("gpus_asked", event.spec->resources.gpus.count);
    Add("note", event.note);
  }
  void operator()(const GangPlaced& event) {
    Begin(LogLevel::kInfo, "job_placed");
    AddJob(event.job);
    AddNodes(event.leases);
  }
  void operator()(const JobStarted& event) {
    Begin(LogLevel::kInfo, "job_started");
    AddJob(event.job);
  }
  void operator()(const JobStopOrdered& event) {
    Begin(event.cause == StopCause::kCancel ? LogLevel::kInfo : LogLevel::kWarning, "job_stopping");
    AddJob(event.job);
    Add("cause", Name(event.cause));
    Add("reason", event.reason);
  }
  void operator()(const JobPreemptionOrdered& event) {
    Begin(LogLevel::kInfo, "job_preempted");
    AddJob(event.job);
    Add("by", NameOf(state(), event.by));
  }
  void operator()(const JobMoveOrdered& event) {
    Begin(LogLevel::kInfo, "job_moved");
    AddJob(event.job);
    Add("by", NameOf(state(), event.by));
  }
  void operator()(const JobRequeued& event) {
    const bool is_planned =
        event.charge == RequeueCharge::kPreemption || event.charge == RequeueCharge::kMove;
    Begin(is_planned ? LogLevel::kInfo : LogLevel::kWarning, "job_requeued");
    AddJob(event.job);
    Add("end", event.end == EndClass::kNone ? "" : Name(event.end));
    Add("reason", event.reason);
  }
  void operator()(const ImageResolved& event) {
    Begin(LogLevel::kInfo, "job_image_resolved");
    AddJob(event.job);
    Add("digest", event.digest);
  }
  void operator()(const CheckpointSaved& event) {
    Begin(LogLevel::kInfo, "checkpoint_saved");
    AddJob(event.job);
    Add("step", event.checkpoint.step);
  }
  void operator()(const JobEnded& event) {
    const bool is_as_wished =
        event.state == JobState::kCompleted || event.state == JobState::kCancelled;
    Begin(is_as_wished ? LogLevel::kInfo : LogLevel::kWarning, "job_ended");
    AddJob(event.job);
    Add("state", Name(event.state));
    Add("exit_code", event.exit_code);
    Add("end", event.end == EndClass::kNone ? "" : Name(event.end));
    Add("reason", event.reason);
  }
  void operator()(const JobLimitNear& event) {
    Begin(LogLevel::kWarning, "job_limit_near");
    AddJob(event.job);
    const Job* job = state().FindJob(event.job);
    if (job != nullptr && HasEnd(*job))
      Add("ends_at", ToRfc3339(WallOf(state().time, LimitReachedAt(*job))));
  }
  void operator()(const JobIdle& event) {
    Begin(LogLevel::kWarning, "job_idle");
    AddJob(event.job);
    Add("reason", event.reason);
  }
  void operator()(const JobXidNoted& event) {
    Begin(LogLevel::kWarning, "job_hit_by_xid");
    AddJob(event.job);
    Add("xid", event.note.xid);
  }

  void operator()(const NodeJoined& event) { OfNode(LogLevel::kInfo, "node_joined", event.node); }
  void operator()(const GpuMoved& event) {
    Begin(LogLevel::kWarning, "gpu_moved");
    const NodeFacts& to = *state().FindNode(event.to.node)->facts;
    Add("node", to.name);
    Add("gpu", event.to.gpu);
    Add("uuid", to.gpus[static_cast<size_t>(event.to.gpu)].uuid);
    Add("from", state().FindNode(event.from.node)->facts->name);
  }
  void operator()(const GpuRetired& event) {
    OfNode(LogLevel::kInfo, "gpu_retired", event.gpu.node);
    Add("gpu", event.gpu.gpu);
  }
  void operator()(const NodeReturned& event) {
    OfNode(LogLevel::kInfo, "node_returned", event.node);
  }
  void operator()(const NodeLost& event) { OfNode(LogLevel::kError, "node_lost", event.node); }
  void operator()(const NodeDrainChanged& event) {
    OfNode(LogLevel::kInfo, event.draining ? "node_drained" : "node_undrained", event.node);
    Add("reason", event.reason);
  }
  void operator()(const GpuDrainChanged& event) {
    OfGpu(LogLevel::kInfo, event.draining ? "gpu_drained" : "gpu_undrained", event);
    Add("reason", event.reason);
  }
  void operator()(const GpuConditionChanged& event) {
    const bool is_of_use = event.to == GpuCondition::kAvailable ||
                           event.to == GpuCondition::kTesting || event.to == GpuCondition::kUnknown;
    OfGpu(is_of_use ? LogLevel::kInfo : LogLevel::kWarning, "gpu_condition", event);
    Add("condition", Name(event.to));
    Add("reason", event.reason);
  }
  void operator()(const FaultSeen& event) {
    if (event.xid == 0) return;  // the GPU's condition shows it
    if (event.gpu < 0) {
      OfNode(LogLevel::kWarning, "node_sxid", event.node);
    } else {
      OfGpu(LogLevel::kWarning, "gpu_xid", event);
    }
    Add("xid", event.xid);
  }
  void operator()(const GpuTaskOrdered& event) {
    OfGpu(LogLevel::kInfo, "gpu_task_begun", event);
    Add("task", Name(event.task));
  }
  void operator()(const IncidentOpened& event) {
    const Incident& incident = event.incident;
    Begin(incident.needs_person ? LogLevel::kError : LogLevel::kWarning, "incident_opened");
    Add("incident", gp::ToText(incident.id));
    Add("cause", incident.cause);
    Add("node", incident.node);
    if (incident.gpu >= 0) Add("gpu", incident.gpu);
    Add("pool", incident.pool);
    if (incident.needs_person) Add("needs_person", 1);
  }
  void operator()(const IncidentNoted& event) {
    Begin(event.needs_person ? LogLevel::kError : LogLevel::kInfo, "incident_noted");
    Add("incident", gp::ToText(event.incident));
    Add("what", event.what);
    if (event.needs_person) Add("needs_person", 1);
  }
  void operator()(const IncidentChanged& event) {
    Begin(LogLevel::kInfo, "incident_changed");
    Add("incident", gp::ToText(event.incident));
    Add("state", Name(event.state));
    Add("person", event.person);
  }
  void operator()(const BreakerOpened& event) {
    Begin(LogLevel::kError, "breaker_opened");
    Add("pool", event.pool);
    Add("incident", gp::ToText(event.incident));
  }

  // Parts of events above, or events before anyone listens.
  void operator()(const WallClockStepped& event) {
    Begin(LogLevel::kWarning, "wall_clock_stepped");
    Add("wall_ahead_ms", event.wall.ToMilliseconds());
  }
  void operator()(const WaitTargetMissed& event) {
    Begin(LogLevel::kWarning, "wait_target_missed");
    AddJob(event.job);
    Add("queue", event.queue);
    Add("target", ToText(state().queues.WaitTargetOf(event.queue)));
  }
  void operator()(const WaitTargetMet& event) {
    Begin(LogLevel::kInfo, "wait_target_met");
    Add("queue", event.queue);
    Add("target", ToText(state().queues.WaitTargetOf(event.queue)));
  }
  // Requests of users: the audit has them.
  void operator()(const BudgetLevelChanged& event) {
    const bool is_any = event.level.warned > 0 || event.level.is_used_up;
    Begin(is_any ? LogLevel::kWarning : LogLevel::kInfo, event.level.is_used_up ? "budget_used_up"
                                                         : is_any               ? "budget_level"
                                                                  : "budget_has_room");
    Add("budget", ToText(event.who.key));
    Add("queue", event.who.key.queue);
    Add("user", event.who.user);
    Add("pool", event.who.key.pool);
    if (event.level.warned > 0) Add("percent", event.level.warned);
    const auto budget = state().queues.budgets.find(event.who.key);
    if (budget != state().queues.budgets.end()) Add("over", Name(budget->second.over));
  }
};

// Without quotes if it is one word; else as a JSON string.
std::string Quoted(const std::string& text) {
  const bool is_word = std::ranges::none_of(
      text, [](char c) { return c == ' ' || c == '"' || c == '=' || c == '\\'; });
  return is_word
             ? text
             : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::span<const std::string_view> EventNames() {
  static constexpr std::string_view kNames[] = {
      "breaker_opened",   "budget_has_room", "budget_level",       "budget_used_up",
      "checkpoint_saved", "gpu_condition",   "gpu_drained",        "gpu_moved",
      "gpu_retired",      "gpu_task_begun",  "gpu_undrained",      "gpu_xid",
      "incident_changed", "incident_noted",  "incident_opened",    "job_ended",
      "job_hit_by_xid",   "job_idle",        "job_image_resolved", "job_limit_near",
      "job_moved",        "job_placed",      "job_preempted",      "job_requeued",
      "job_started",      "job_stopping",    "job_submitted",      "node_drained",
      "node_joined",      "node_lost",       "node_returned",      "node_sxid",
      "node_undrained",   "wait_target_met", "wait_target_missed", "wall_clock_stepped"};
  return kNames;
}

std::span<const std::string_view> EventFields() {
  static constexpr std::string_view kFields[] = {
      "attempt", "budget",       "by",   "cause", "condition",     "digest",   "end",
      "ends_at", "exit_code",    "from", "gpu",   "gpus_asked",    "incident", "job",
      "name",    "needs_person", "node", "nodes", "nodes_asked",   "note",     "over",
      "percent", "person",       "pool", "queue", "reason",        "state",    "step",
      "target",  "task",         "user", "uuid",  "wall_ahead_ms", "what",     "xid"};
  return kFields;
}

std::vector<std::string> EventValues(std::string_view field) {
  std::vector<std::string> names;
  const auto add = [&names](auto first, auto last) {
    for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i)
      names.emplace_back(Name(static_cast<decltype(first)>(i)));
  };
  if (field == "state") {
    add(JobState::kCompleted, JobState::kTimeout);
    add(IncidentState::kOpen, IncidentState::kClosed);
  } else if (field == "end") {
    add(EndClass::kCompleted, EndClass::kBudget);
  } else if (field == "condition") {
    add(GpuCondition::kUnknown, GpuCondition::kUnlinked);
  }
  return names;
}

const char* Name(LogLevel level) {
  constexpr const char* kNames[] = {"info", "warning", "error"};
  return kNames[static_cast<size_t>(level)];
}

std::vector<EventLine> LinesOf(const State& state, const std::vector<Event>& events) {
  std::vector<EventLine> lines;
  std::map<JobId, int> placed_later;
  for (const Event& event : events | std::views::reverse) {
    Describer describer(state, placed_later);
    std::visit(
        [&describer]<typename E>(const E& one) {
          if constexpr ((kTraitsOf<E> & kLogged) != 0) describer(one);
        },
        event);
    if (describer.HasLine()) lines.push_back(describer.Take());
    if (const auto* placed = std::get_if<GangPlaced>(&event)) ++placed_later[placed->job];
  }
  std::ranges::reverse(lines);
  return lines;
}

std::string ToText(const EventLine& line, Instant at, LogFormat format) {
  const std::string time = ToRfc3339(at, true);
  if (format == LogFormat::kJson) {
    nlohmann::ordered_json document{
        {"time", time}, {"level", Name(line.level)}, {"event", line.event}};
    for (const auto& [name, value] : line.fields)
      std::visit([&](const auto& one) { document[name] = one; }, value);
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  std::string text = time + " " + Name(line.level) + " " + line.event;
  for (const auto& [name, value] : line.fields) {
    const auto* words = std::get_if<std::string>(&value);
    text += " " + name + "=" +
            (words != nullptr ? Quoted(*words) : std::to_string(std::get<int64_t>(value)));
  }
  return text + "\n";
}

}  // namespace gp
