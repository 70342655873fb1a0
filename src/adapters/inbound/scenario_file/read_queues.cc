#include "adapters/inbound/scenario_file/key_table.h"
#include "adapters/inbound/scenario_file/parts.h"

namespace gp {
namespace {

// The value "none" removes a limit.
KeyTable::Take Limit(std::string name, int64_t high, std::optional<int64_t>& to, Report& report) {
  return [=, &to, &report](const YamlNode& value) {
    if (value.kind == YamlNode::Kind::kPlain && value.text == "none") {
      to = -1;
      return;
    }
    const auto count = ReadCount(value, 0, high);
    if (count)
      to = *count;
    else
      report.Add(value.place, count.error().code,
                 name + ": " + count.error().message + ", or none");
  };
}

KeyTable::Take Limits(SetQueue::QuotaChange& to, Report& report) {
  return [&](const YamlNode& map) {
    KeyTable("a limit", report)
        .Add("gpus", Limit("gpus", kQueueGpusMax, to.gpus, report))
        .Add("jobs", Limit("jobs", kQueueJobsMax, to.jobs, report))
        .Add("gpu_hours", Limit("gpu_hours", kQueueGpuHoursMax, to.gpu_hours, report))
        .Add("cpus", Limit("cpus", kQueueCpusMax, to.cpus, report))
        .Add("memory_mib", Limit("memory_mib", kQueueMemoryMiBMax, to.memory_mib, report))
        .ReadFrom(map);
  };
}

}  // namespace

SetQueue ReadQueue(const YamlNode& map, Report& report) {
  SetQueue queue;
  std::optional<int64_t> weight;
  bool reclaimable = true;
  Duration default_time, max_time, wait_target;
  KeyTable("a queue", report)
      .Text("path", queue.name)
      .Required()
      .OptionalText("pool", queue.pool)
      .OptionalCount("weight", 1, kQueueWeightMax, weight)
      .OptionalCount("guaranteed", 0, kQueueGpusMax, queue.guaranteed)
      .OptionalCount("min_gpus", 0, kQueueGpusMax, queue.min_gpus)
      .Truth("reclaimable", reclaimable)
      .Span("default_time", Duration{}, kTimeLimitMax, default_time)
      .Span("max_time", Duration{}, kTimeLimitMax, max_time)
      .Span("wait_target", Duration{}, kTimeLimitMax, wait_target)
      .Add("limits", Limits(queue.limit, report))
      .Add("user_limits", Limits(queue.user_limit, report))
      .ReadFrom(map);
  if (weight) queue.weight = static_cast<int>(*weight);
  if (map.Find("reclaimable") != nullptr) queue.reclaimable = reclaimable;
  for (const auto& [read, to] :
       {std::pair(default_time, &queue.default_time), std::pair(max_time, &queue.max_time),
        std::pair(wait_target, &queue.wait_target)}) {
    if (read.ns != 0) *to = read;
  }
  return queue;
}

void ReadQueues(const YamlNode& list, ScenarioDraft& draft) {
  ReadItems(list, "queues", kQueuesMax, draft.report, [&](const YamlNode& item) {
    draft.scenario.queues.push_back(ReadQueue(item, draft.report));
    draft.queues.push_back(item.place);
  });
}

}  // namespace gp
