#include <algorithm>

#include "base/text.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/model/jobs/job_text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

constexpr size_t kNodeLabelsMax = 64;

template <typename T>
void Take(const std::optional<T>& given, T& value) {
  if (given) value = *given;
}

void TakeQuota(const SetQueue::QuotaChange& given, Quota& quota) {
  const auto take = [](const std::optional<int64_t>& from, std::optional<int64_t>& to) {
    if (from) to = *from == -1 ? std::nullopt : from;
  };
  take(given.gpus, quota.gpus);
  take(given.jobs, quota.jobs);
  take(given.gpu_hours, quota.gpu_hours);
  take(given.cpus, quota.cpus);
  take(given.memory_mib, quota.memory_mib);
}

bool HasLiveJobs(const State& state, const std::string& queue) {
  return std::ranges::any_of(state.jobs.all, [&](const auto& one) {
    return one.second.queue == queue && !IsTerminal(one.second.state);
  });
}

Status CheckPool(const State& state, const Queue& queue, const Queue* before) {
  const std::string parent = ParentOf(queue.name);
  if (!parent.empty() && state.queues.all.at(parent).pool != queue.pool) {
    return Fail(InvalidArgument("pool: the queue above, " + parent + ", is in pool " +
                                state.queues.all.at(parent).pool));
  }
  if (before != nullptr && before->pool == queue.pool) return Ok();
  if (queue.pool != kDefaultPool &&
      !std::ranges::any_of(state.nodes.all, [&](const Node& n) { return n.pool == queue.pool; })) {
    return Fail(InvalidArgument("pool: no node is in pool " + queue.pool +
                                "; put one there first: gpu-platform nodes pool NODE " +
                                queue.pool));
  }
  if (before != nullptr &&
      (HasLiveJobs(state, queue.name) || state.queues.HasChildren(queue.name))) {
    return Fail(Conflict("pool: queue " + queue.name + " has jobs, or queues below it, in pool " +
                         before->pool));
  }
  return Ok();
}

// Only queues without queues below them have jobs: users and queues are never siblings.
Status CheckParent(const State& state, const std::string& parent) {
  if (parent == kDefaultQueue)
    return Fail(Conflict("queue " + parent + " is for jobs that name none: no queues go below it"));
  if (HasLiveJobs(state, parent))
    return Fail(Conflict("queue " + parent +
                         " has jobs that wait or run: queues go only below one without"));
  return Ok();
}

// Guarantees must be covered by the queue above, or by the pool.
Status CheckGuarantees(const State& state, const Queue& queue, bool promises_more) {
  const std::string parent = ParentOf(queue.name);
  int64_t siblings = queue.guaranteed;
  int64_t children = 0;
  for (const auto& [name, other] : state.queues.all) {
    if (ParentOf(name) == queue.name) children += other.guaranteed;
    if (name != queue.name && ParentOf(name) == parent && other.pool == queue.pool)
      siblings += other.guaranteed;
  }
  const auto refuse = [](int64_t promised, const std::string& where, int64_t there) {
    return Fail(Conflict("guaranteed: " + std::to_string(promised) +
                         " GPUs would be guaranteed in all, " + where + " " +
                         std::to_string(there)));
  };
  if (children > queue.guaranteed)
    return refuse(children, "to the queues below " + queue.name + "; it has itself",
                  queue.guaranteed);
  if (queue.guaranteed == 0 || !promises_more) return Ok();
  if (!parent.empty()) {
    const int64_t there = state.queues.all.at(parent).guaranteed;
    if (siblings > there)
      return refuse(siblings, "to the queues below " + parent + "; it has itself", there);
    return Ok();
  }
  const auto capacity = state.nodes.capacity.find(queue.pool);
  if (capacity != state.nodes.capacity.end() && siblings > capacity->second)
    return refuse(siblings, "pool " + queue.pool + " has", capacity->second);
  return Ok();
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope&, const SetQueue& command) {
  const auto known = state.queues.all.find(command.name);
  const Queue* before = known == state.queues.all.end() ? nullptr : &known->second;
  const std::string parent = ParentOf(command.name);
  Queue queue;
  if (before != nullptr) queue = *before;
  queue.name = command.name;
  if (before == nullptr && state.queues.all.contains(parent))
    queue.pool = state.queues.all.at(parent).pool;
  Take(command.pool, queue.pool);
  Take(command.weight, queue.weight);
  Take(command.guaranteed, queue.guaranteed);
  Take(command.reclaimable, queue.reclaimable);
  TakeQuota(command.limit, queue.limit);
  TakeQuota(command.user_limit, queue.user_limit);
  Take(command.default_time, queue.default_time);
  Take(command.max_time, queue.max_time);
  Take(command.min_gpus, queue.min_gpus);
  Take(command.wait_target, queue.wait_target);
  Take(command.network, queue.network);
  GP_CHECK_OK(ValidateQueue(queue));
  if (!parent.empty() && !state.queues.all.contains(parent))
    return Fail(NotFound("no queue " + parent + ": make the upper one first"));
  if (before == nullptr && state.queues.all.size() >= kQueuesMax)
    return Fail(Conflict("there are " + std::to_string(kQueuesMax) + " queues already"));
  if (before == nullptr && !parent.empty()) GP_CHECK_OK(CheckParent(state, parent));
  GP_CHECK_OK(CheckPool(state, queue, before));
  // The pool may have shrunk: keeping or lowering a guarantee is always allowed.
  const bool promises_more =
      before == nullptr || before->pool != queue.pool || queue.guaranteed > before->guaranteed;
  const bool lowers = before != nullptr && queue.guaranteed < before->guaranteed;
  if (promises_more || lowers) GP_CHECK_OK(CheckGuarantees(state, queue, promises_more));
  return Events{QueueChanged{queue}};
}
AuditWords WordsFor(const State&, const Events&, const SetQueue& command) {
  std::string details;
  const auto add = [&](const char* what, const auto& value) {
    if (value)
      details += (details.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(*value);
  };
  if (command.pool) details = "pool " + *command.pool;
  add("weight", command.weight);
  add("guaranteed", command.guaranteed);
  add("reclaimable", command.reclaimable);
  for (const auto& [limit, of] : {std::pair(&command.limit, std::string(" at most")),
                                  std::pair(&command.user_limit, std::string(" a user"))}) {
    add(("GPUs" + of).c_str(), limit->gpus);
    add(("jobs" + of).c_str(), limit->jobs);
    add(("GPU-hours" + of).c_str(), limit->gpu_hours);
    add(("cores" + of).c_str(), limit->cpus);
    add(("MiB of memory" + of).c_str(), limit->memory_mib);
  }
  add("GPUs a job at least", command.min_gpus);
  const auto add_time = [&](const char* what, const std::optional<Duration>& time) {
    if (time)
      details += (details.empty() ? "" : ", ") + std::string(what) + " " +
                 (time->ns == 0 ? "none" : ToText(*time));
  };
  add_time("default time", command.default_time);
  add_time("maximum time", command.max_time);
  add_time("target of waiting", command.wait_target);
  if (command.network) {
    details += (details.empty() ? "" : ", ") + std::string("network ") +
               std::string(ToText(*command.network));
  }
  return {"SetQueue", command.name, details};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const DeleteQueue& command) {
  const std::string name = Printable(command.name, 140);
  if (!state.queues.all.contains(command.name)) return Fail(NotFound("no queue " + name));
  if (command.name == kDefaultQueue)
    return Fail(Conflict("queue " + name + " is for jobs that name none, and stays"));
  if (state.queues.HasChildren(command.name))
    return Fail(Conflict("queue " + name + " has queues below it: delete these first"));
  if (HasLiveJobs(state, command.name))
    return Fail(Conflict("queue " + name + " has jobs that wait or run"));
  Events events;
  EndAccess(state, command.name, events);
  EndBudgets(state, command.name, events);
  events.push_back(QueueDeleted{command.name});
  return events;
}
AuditWords WordsFor(const State&, const Events&, const DeleteQueue& command) {
  return {"DeleteQueue", command.name, ""};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const ChangeNode& command) {
  const Node* node = state.FindNode(command.node);
  if (node == nullptr)
    return Fail(NotFound("no node with id " + std::to_string(command.node.value)));
  Events events;
  if (command.pool && *command.pool != node->pool) {
    if (!node->reservations.empty())
      return Fail(Conflict("pool: node " + node->facts->name + " is in reservation " +
                           *node->reservations.begin() + ", which is of pool " + node->pool));
    if (const auto fault = NameFault(*command.pool))
      return Fail(InvalidArgument("pool: " + *fault));
    events.push_back(NodePoolChanged{node->id, *command.pool});
  }
  std::map<std::string, std::string> labels = node->labels;
  for (const std::string& name : command.labels_removed) {
    if (labels.erase(name) == 0)
      return Fail(NotFound("node " + node->facts->name + " has no label " + Printable(name, 60)));
  }
  for (const auto& [name, value] : command.labels) {
    if (const auto fault = LabelNameFault(name)) return Fail(InvalidArgument("label: " + *fault));
    if (const auto fault = LabelValueFault(value))
      return Fail(InvalidArgument("label " + name + ": " + *fault));
    labels[name] = value;
  }
  if (labels.size() > kNodeLabelsMax)
    return Fail(
        InvalidArgument("a node has at most " + std::to_string(kNodeLabelsMax) + " labels"));
  if (labels != node->labels) events.push_back(NodeLabelsChanged{node->id, std::move(labels)});
  return events;
}
AuditWords WordsFor(const State& state, const Events&, const ChangeNode& command) {
  std::string details = command.pool ? "pool " + *command.pool : "";
  for (const auto& [name, value] : command.labels) details += " " + name + "=" + value;
  for (const std::string& name : command.labels_removed) details += " -" + name;
  return {"ChangeNode", NodeName(state, command.node), details};
}

}  // namespace gp
