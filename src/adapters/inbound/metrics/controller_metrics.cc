#include "adapters/inbound/metrics/controller_metrics.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "adapters/inbound/metrics/fragmentation_gauges.h"
#include "adapters/inbound/metrics/queue_gauges.h"
#include "adapters/inbound/metrics/usage_gauges.h"
#include "base/text.h"
#include "base/units.h"
#include "domain/cluster/event.h"
#include "domain/cluster/nodes/verdict.h"
#include "domain/cluster/state/state.h"

namespace gp {
namespace {

constexpr size_t kIncidentsMax = 1'000;  // the newest open incidents get a series each
constexpr double kMsPerSecond = 1e3;
constexpr double kNsPerSecond = 1e9;

std::string XidName(int xid) { return xid == 0 ? "none" : std::to_string(xid); }

Labels GpuLabels(const State& state, NodeId node, int gpu) {
  return {{"node", state.FindNode(node)->facts->name}, {"gpu", std::to_string(gpu)}};
}

bool IsInService(const Gpu& gpu) { return IsGrantable(gpu); }

// Counts before it formats labels: there may be 100,000 GPUs.
SeriesValues GpusByCondition(const State& state) {
  std::map<std::tuple<std::string_view, GpuCondition, bool>, int64_t> counts;
  for (const Node& node : state.nodes.all) {
    for (size_t i = 0; i < node.gpus.size(); ++i) {
      const Gpu& gpu = node.gpus[i];
      if (!IsRetired(*node.facts, static_cast<int>(i)))
        ++counts[{node.pool, gpu.condition, gpu.draining}];
    }
  }
  SeriesValues values;
  for (const auto& [key, count] : counts) {
    const auto& [pool, condition, draining] = key;
    values[{{"pool", std::string(pool)},
            {"condition", Name(condition)},
            {"draining", draining ? "true" : "false"}}] = static_cast<double>(count);
  }
  return values;
}

SeriesValues GpusOutSince(const State& state) {
  SeriesValues values;
  for (const Node& node : state.nodes.all) {
    for (size_t i = 0; i < node.gpus.size(); ++i) {
      const Gpu& gpu = node.gpus[i];
      if (IsInService(gpu) || gpu.changed_at.ns == 0 || IsRetired(*node.facts, static_cast<int>(i)))
        continue;
      Labels labels = GpuLabels(state, node.id, static_cast<int>(i));
      labels.insert(labels.end(),
                    {{"uuid", node.facts->gpus[i].uuid}, {"condition", Name(gpu.condition)}});
      values[labels] = static_cast<double>(WallOf(state.time, gpu.changed_at).ns) / kNsPerSecond;
    }
  }
  return values;
}

SeriesValues NodesByCondition(const State& state) {
  SeriesValues values;
  for (const Node& node : state.nodes.all)
    ++values[{{"pool", node.pool},
              {"condition", Name(node.condition)},
              {"draining", node.draining ? "true" : "false"}}];
  return values;
}

SeriesValues OpenIncidents(const State& state) {
  SeriesValues values;
  for (const auto& [id, incident] : state.faults.incidents) {
    if (incident.state == IncidentState::kClosed) continue;
    ++values[{{"state", Name(incident.state)},
              {"needs_person", incident.needs_person ? "true" : "false"}}];
  }
  return values;
}

SeriesValues IncidentsSince(const State& state) {
  SeriesValues values;
  for (auto next = state.faults.incidents.rbegin();
       next != state.faults.incidents.rend() && values.size() < kIncidentsMax; ++next) {
    const Incident& incident = next->second;
    if (incident.state == IncidentState::kClosed) continue;
    values[{{"incident", ToText(incident.id)},
            {"cause", incident.cause},
            {"node", incident.node},
            {"gpu", incident.gpu < 0 ? "" : std::to_string(incident.gpu)}}] =
        static_cast<double>(WallOf(state.time, incident.opened_at).ns) / kNsPerSecond;
  }
  return values;
}

SeriesValues OpenBreakers(const State& state) {
  SeriesValues values;
  for (const auto& [pool, incident] : state.faults.breakers) values[{{"pool", pool}}] = 1;
  return values;
}

// What is counted in the state at this moment.
std::vector<MetricFamily> StateGauges(const State& state) {
  constexpr auto kGauge = MetricType::kGauge;
  return {
      Family("gpu_platform_gpus", "GPUs by pool and condition", kGauge, GpusByCondition(state)),
      Family("gpu_platform_gpu_out_of_service_since_timestamp_seconds",
             "When a GPU that is out of service entered its condition", kGauge,
             GpusOutSince(state)),
      Family("gpu_platform_nodes", "Nodes by pool and condition", kGauge, NodesByCondition(state)),
      Family("gpu_platform_incidents_open", "Incidents that are not closed", kGauge,
             OpenIncidents(state)),
      Family("gpu_platform_incident_opened_timestamp_seconds",
             "When an incident that is not closed was opened", kGauge, IncidentsSince(state)),
      Family("gpu_platform_breaker_open",
             "1 for pools where nothing is reset or drained automatically until an operator "
             "closes the incident",
             kGauge, OpenBreakers(state)),
  };
}

}  // namespace

struct ControllerMetrics::Counters {
  std::map<std::pair<NodeId, int>, int> last_xids;
  SeriesValues reports, fabric_reports, interruptions, requeues, ends, tasks, tests_passed,
      incidents, lost_gpu_seconds, checkpoints;
};

namespace {

// Counts one event; events without a counter are ignored.
template <typename Counters>
struct Counting {
  const State& state;
  Counters& counters;

  void operator()(const FaultSeen& event) const {
    if (event.gpu < 0) {
      if (event.xid != 0)
        ++counters.fabric_reports[{{"node", state.FindNode(event.node)->facts->name},
                                   {"sxid", std::to_string(event.xid)}}];
      return;
    }
    Labels labels = GpuLabels(state, event.node, event.gpu);
    labels.push_back({"xid", XidName(event.xid)});
    ++counters.reports[labels];
    if (event.xid != 0) counters.last_xids[{event.node, event.gpu}] = event.xid;
  }
  void operator()(const JobStopOrdered& event) const {
    ++counters.interruptions[{{"cause", Name(event.cause)}}];
  }
  void operator()(const JobRequeued& event) const {
    ++counters.requeues[{{"class", Name(event.end)}, {"charged_to", Name(ChargeOf(event.end))}}];
  }
  void operator()(const JobEnded& event) const {
    ++counters.ends[{{"state", Name(event.state)}, {"class", Name(event.end)}}];
  }
  void operator()(const GpuTaskOrdered& event) const {
    ++counters.tasks[{{"task", Name(event.task)}}];
  }
  void operator()(const GpuTaskEnded& event) const {
    counters.tests_passed[{}] += event.is_sound ? 1 : 0;
  }
  void operator()(const IncidentOpened& event) const {
    ++counters.incidents[{{"cause", event.incident.cause}}];
    Lose(event.incident.cause, event.incident.lost_gpu_ms);
  }
  void operator()(const IncidentNoted& event) const {
    const auto incident = state.faults.incidents.find(event.incident);
    if (incident != state.faults.incidents.end()) Lose(incident->second.cause, event.lost_gpu_ms);
  }
  void operator()(const CheckpointSaved& event) const {
    ++counters.checkpoints[{{"complete", event.checkpoint.is_complete ? "true" : "false"}}];
  }
  template <typename Other>
  void operator()(const Other&) const {}

 private:
  void Lose(const std::string& cause, int64_t ms) const {
    if (ms > 0)
      counters.lost_gpu_seconds[{{"cause", cause}}] += static_cast<double>(ms) / kMsPerSecond;
  }
};

}  // namespace

ControllerMetrics::ControllerMetrics() : counters_(std::make_unique<Counters>()) {
  // Starts series at 0, so that the first event is an increase.
  for (int i = static_cast<int>(EndClass::kNone) + 1; i <= static_cast<int>(EndClass::kCancelled);
       ++i) {
    const auto end = static_cast<EndClass>(i);
    counters_->requeues[{{"class", Name(end)}, {"charged_to", Name(ChargeOf(end))}}] = 0;
  }
}
ControllerMetrics::~ControllerMetrics() = default;

void ControllerMetrics::OnCommit(const State& state, const CommittedRecords& committed) {
  for (const Event& event : committed.events)
    std::visit(Counting<Counters>{state, *counters_}, event);
}

std::vector<MetricFamily> ControllerMetrics::CounterFamilies() const {
  constexpr auto kCounter = MetricType::kCounter;
  const Counters& c = *counters_;
  return {
      Family("gpu_platform_fault_reports_total",
             "Reported errors of a GPU; xid: the driver's error number, or none", kCounter,
             c.reports),
      Family("gpu_platform_fabric_reports_total",
             "Reported errors of a node's NVSwitches; sxid: the driver's error number", kCounter,
             c.fabric_reports),
      Family("gpu_platform_job_interruptions_total", "Orders to stop a running job, by cause",
             kCounter, c.interruptions),
      Family("gpu_platform_job_requeues_total",
             "Jobs that were queued again, by the end class of the attempt and who is charged",
             kCounter, c.requeues),
      Family("gpu_platform_job_ends_total", "Jobs that have ended, by state and end class",
             kCounter, c.ends),
      Family("gpu_platform_gpu_tasks_ordered_total", "Resets and tests of GPUs", kCounter, c.tasks),
      Family("gpu_platform_gpu_tests_passed_total", "Tests of GPUs that passed", kCounter,
             c.tests_passed),
      Family("gpu_platform_incidents_opened_total", "Incidents that were opened, by cause",
             kCounter, c.incidents),
      Family("gpu_platform_lost_gpu_seconds_total",
             "GPU time of attempts that incidents interrupted, by cause", kCounter,
             c.lost_gpu_seconds),
      Family("gpu_platform_checkpoints_total", "Checkpoints that jobs reported", kCounter,
             c.checkpoints),
  };
}

MetricsPicture ControllerMetrics::Look(const State& state, Instant now) const {
  MetricsPicture picture;
  picture.families = CounterFamilies();
  std::ranges::move(StateGauges(state), std::back_inserter(picture.families));
  std::ranges::move(QueueGauges(state, now), std::back_inserter(picture.families));
  std::ranges::move(FragmentationGauges(state), std::back_inserter(picture.families));
  std::ranges::move(UsageGauges(state, now), std::back_inserter(picture.families));
  const auto& xids = counters_->last_xids;
  for (const Node& node : state.nodes.all) {
    if (node.condition != NodeCondition::kUp) continue;
    NodePicture& seen = picture.nodes.emplace_back(NodePicture{node.id, node.facts, node.pool, {}});
    for (size_t i = 0; i < node.gpus.size(); ++i) {
      const auto xid = xids.find({node.id, static_cast<int>(i)});
      const GpuVerdict verdict = VerdictOf(state, {node.id, static_cast<int>(i)});
      seen.gpus.push_back({node.gpus[i].share_granted, node.gpus[i].memory_granted_mib,
                           xid == xids.end() ? 0 : xid->second, Name(verdict.level), verdict.code});
    }
  }
  return picture;
}

std::vector<MetricFamily> LoadGauges(const ControllerLoad& load) {
  constexpr auto kGauge = MetricType::kGauge;
  return {
      Family("gpu_platform_agents_unread_seconds",
             "For how long messages of agents have waited unread; 0: they are read as they come",
             kGauge, {{{}, SecondsOf(load.deaf)}}),
      Family("gpu_platform_requests_waiting", "Requests that wait for the writer", kGauge,
             {{{}, static_cast<double>(load.waiting)}}),
      Family("gpu_platform_requests_waiting_max", "Requests that may wait; others are refused",
             kGauge, {{{}, static_cast<double>(load.waiting_max)}}),
  };
}

std::vector<MetricFamily> StandbyGauges(const StandbyCounts& counts) {
  constexpr auto kGauge = MetricType::kGauge;
  SeriesValues behind;
  for (const auto& [name, records] : counts.standbys)
    behind[{{"controller", name}}] = static_cast<double>(records);
  return {
      Family("gpu_platform_controller_term", "The term of the leader; it grows with each take-over",
             kGauge, {{{}, static_cast<double>(counts.term)}}),
      Family("gpu_platform_standbys", "Controllers that could take over", kGauge,
             {{{}, static_cast<double>(counts.standbys.size())}}),
      Family("gpu_platform_standby_behind_records",
             "Records that a standby did not have when it last told of itself", kGauge, behind),
  };
}

std::vector<MetricFamily> StoreGauges(const std::vector<StoreMember>& members) {
  constexpr auto kGauge = MetricType::kGauge;
  SeriesValues well;
  SeriesValues bytes;
  for (const StoreMember& member : members) {
    well[{{"member", member.endpoint}}] = member.trouble.empty() ? 1 : 0;
    if (!member.version.empty())
      bytes[{{"member", member.endpoint}}] = static_cast<double>(member.bytes);
  }
  return {
      Family("gpu_platform_store_member_well",
             "1: the machine of the controllers' etcd answers and has no trouble", kGauge, well),
      Family("gpu_platform_store_member_bytes", "The file of its database", kGauge, bytes),
  };
}

std::vector<MetricFamily> ArchiveGauges(Duration lag, Instant verified_at) {
  constexpr auto kGauge = MetricType::kGauge;
  return {
      Family("gpu_platform_archive_lag_seconds",
             "For how long the archive of the journal has not had everything", kGauge,
             {{{}, SecondsOf(lag)}}),
      Family("gpu_platform_archive_verified_timestamp_seconds",
             "When the archive was last verified, or began to be copied", kGauge,
             {{{}, static_cast<double>(verified_at.ns) / 1e9}}),
  };
}

Result<std::string> MetricsText(MetricsPicture picture, const GpuReadingsOf& readings_of,
                                std::string_view names) {
  if (!names.empty() && names != "dcgm")
    return Fail(InvalidArgument("names: \"" + Printable(names, 60) +
                                "\" is not dcgm; the platform's own need not be named"));
  std::vector<MetricFamily> families =
      names.empty() ? std::move(picture.families) : DcgmGauges(picture, readings_of);
  if (names.empty())
    std::ranges::move(GpuGauges(picture, readings_of), std::back_inserter(families));
  return ToText(families);
}

}  // namespace gp
