#include "simulation/scenario/event_commands.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kNamesShown = 5;

using Step = decltype(RunStep::what);

template <typename T>
Result<T> Find(const std::map<std::string, T>& all, const std::string& what,
               const std::string& name) {
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [one, value] : all) names.push_back(one);
  const auto nearest = Nearest(name, names);
  std::string message = "no " + what + " \"" + Printable(name, 60) + "\" in this scenario";
  if (nearest) {
    message += " — did you mean \"" + *nearest + "\"?";
  } else if (!names.empty()) {
    const bool few = names.size() <= kNamesShown;
    names.resize(std::min(names.size(), kNamesShown));
    message += ": there are " + Join(names, ", ") + (few ? "" : ", …");
  }
  return Fail(NotFound(message));
}

Result<Step> StepFor(const NodeEvent& event, const ScenarioIds& ids) {
  const auto [id, facts] = GP_TRY(Find(ids.nodes, "node", event.node));
  const std::string reason = "scenario";
  switch (event.deed) {
    case NodeDeed::kDrain:
      return Command(ChangeService{id, -1, ServiceAction::kDrain, false, reason});
    case NodeDeed::kOffline:
      return Command(ChangeService{id, -1, ServiceAction::kOffline, event.force, reason});
    case NodeDeed::kOnline:
      return Command(ChangeService{id, -1, ServiceAction::kOnline, false, reason});
    case NodeDeed::kLose: return Command(ExpireHeartbeat{id});
    case NodeDeed::kDeclareLost: return Command(DeclareNodeLost{id, reason});
    case NodeDeed::kReturn: break;
  }
  return NodeArrival{id, facts};
}

Result<Step> StepFor(const PoolEvent& event, const ScenarioIds& ids) {
  return Command(ChangeNode{GP_TRY(Find(ids.nodes, "node", event.node)).id, event.pool, {}, {}});
}

Result<Step> StepFor(const JobEvent& event, const ScenarioIds& ids) {
  const JobId job = GP_TRY(Find(ids.jobs, "job", event.job));
  switch (event.deed) {
    case JobDeed::kCancel: return Command(StopJob{job, false});
    case JobDeed::kHold: return Command(HoldJob{job});
    case JobDeed::kRelease: return Command(ReleaseJob{job});
    case JobDeed::kSetPriority: break;
  }
  return Command(SetPriority{job, event.priority, true});
}

Result<Step> StepFor(const SetQueue& queue, const ScenarioIds&) { return Command(queue); }

}  // namespace

Result<Step> StepOf(const ScenarioEvent& event, const ScenarioIds& ids) {
  return std::visit([&](const auto& what) { return StepFor(what, ids); }, event.what);
}

}  // namespace gp
