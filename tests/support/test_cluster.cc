#include "tests/support/test_cluster.h"

#include <algorithm>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/decide/decide.h"
#include "domain/model/nodes/features.h"
#include "domain/scheduling/planner.h"

namespace gp {

bool SameIndexes(const State& a, const State& b) {
  const OpenJobIndexes &of_a = a.jobs, &of_b = b.jobs;
  return of_a == of_b && a.jobs.by_request == b.jobs.by_request &&
         a.jobs.finished == b.jobs.finished &&
         a.leases.shares_by_class == b.leases.shares_by_class &&
         a.nodes.by_name == b.nodes.by_name && a.nodes.gpus_by_uuid == b.nodes.gpus_by_uuid &&
         a.nodes.losses == b.nodes.losses && a.nodes.capacity == b.nodes.capacity &&
         a.nodes.gpu_sizes == b.nodes.gpu_sizes && a.nodes.host_sizes == b.nodes.host_sizes &&
         a.queues.wait_targets == b.queues.wait_targets &&
         a.reservations.ends == b.reservations.ends && a.faults.remedies == b.faults.remedies &&
         a.faults.incident_ends == b.faults.incident_ends &&
         a.faults.closed_incidents == b.faults.closed_incidents &&
         a.access.token_ends == b.access.token_ends && a.requests.by_time == b.requests.by_time &&
         a.metering.used.ledger.month == b.metering.used.ledger.month &&
         std::ranges::equal(a.nodes.all, b.nodes.all, {}, &Node::reservations, &Node::reservations);
}

Policy TestPolicy() {
  Policy policy;
  policy.faults.xids = XidRules();
  return policy;
}

TestCluster::TestCluster() { (void)Execute(StartController{TestPolicy()}); }

void TestCluster::Check(const std::vector<Event>& events) {
  for (const Violation& violation : CheckDelta(state_, events)) {
    broken_.push_back("delta " + violation.rule + ": " + violation.detail);
  }
  for (const Violation& violation : CheckInvariants(state_)) {
    broken_.push_back(violation.rule + ": " + violation.detail);
  }
}

Result<std::vector<Event>> TestCluster::Execute(const Command& command,
                                                const ClientRequest& request) {
  const Envelope envelope{now_, "test", request, command};
  auto events = Decide(state_, envelope);
  if (!events) return events;
  for (const Event& event : *events) Apply(state_, now_, event);
  records_.push_back(EncodeRecord({envelope, *events}));
  Check(*events);
  return events;
}

std::vector<Event> TestCluster::Pass() {
  std::vector<Event> all;
  const auto commit = [&](const Command& command) {
    const auto events = Execute(command);
    if (!events) {
      broken_.push_back("refused what its own plan proposed: " + events.error().message);
      return;
    }
    all.insert(all.end(), events->begin(), events->end());
  };
  const Plan plan = Schedule(state_, now_);
  for (const Plan::Step& step : plan.steps) commit(ToCommand(step));
  return all;
}

NodeFacts TestCluster::MakeFacts(const std::string& name, const std::vector<int>& numa, int links,
                                 int64_t gpu_memory_mib, int cpus_per_numa,
                                 const std::string& model) {
  NodeFacts facts;
  facts.name = name;
  facts.simulated = true;
  facts.features = AllFeatures();
  const int numas = numa.empty() ? 1 : *std::ranges::max_element(numa) + 1;
  for (int i = 0; i < numas; ++i) {
    NumaFacts one;
    one.os_id = i;
    one.package = numas > 2 ? i / 2 : i;
    one.cpus.AddRange(i * cpus_per_numa, (i + 1) * cpus_per_numa - 1);
    one.memory_mib = 512 * 1024;
    facts.numa.push_back(one);
  }
  const size_t count = numa.size();
  for (size_t i = 0; i < count; ++i) {
    GpuFacts gpu;
    gpu.uuid = "GPU-" + name + "-" + std::to_string(i);
    gpu.model = model;
    gpu.minor = static_cast<int>(i);
    gpu.numa = numa[i];
    gpu.memory_mib = gpu_memory_mib;
    facts.gpus.push_back(gpu);
  }
  facts.links.assign(count * count, static_cast<uint8_t>(links));
  for (size_t i = 0; i < count; ++i) facts.links[i * count + i] = 0;
  return facts;
}

NodeId TestCluster::AddNode(const NodeFacts& facts, uint64_t incarnation) {
  JoinNode join;
  join.facts = std::make_shared<const NodeFacts>(facts);
  join.incarnation = incarnation;
  join.fresh = true;
  (void)Execute(join);
  const NodeId id = state_.nodes.by_name.at(facts.name);
  ReportNode report{id, incarnation, {}, {}};
  for (size_t i = 0; i < facts.gpus.size(); ++i)
    report.gpus.push_back({static_cast<int>(i), true, false, ""});
  (void)Execute(report);
  return id;
}

bool TestCluster::ReplayAgrees() const {
  State folded;
  for (const std::string& bytes : records_) {
    const auto record = DecodeRecord(bytes);
    if (!record) return false;
    const auto again = Decide(folded, record->envelope);
    if (!again || EncodeEvents(*again) != EncodeEvents(record->events)) return false;
    for (const Event& event : record->events) Apply(folded, record->envelope.at, event);
  }
  const auto decoded = DecodeState(EncodeState(state_));
  return EncodeState(folded) == EncodeState(state_) && decoded &&
         EncodeState(*decoded) == EncodeState(state_) && SameIndexes(*decoded, state_);
}

}  // namespace gp
