#include "tests/crash/workload.h"

#include "domain/cluster/nodes/faults.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int kGpus = 4;
constexpr const char* kNodes[] = {"n1", "n2"};

JobSpec Spec(int round, int which) {
  JobSpec spec;
  spec.program.command = {"/usr/bin/train", "--round", std::to_string(round)};
  spec.program.environment["DATA"] = std::string(static_cast<size_t>(60 + round * 7), 'd');
  spec.resources.gpus.count = 1 + (round + which) % 3;
  spec.resources.nodes = (round + which) % 5 == 4 ? 2 : 1;
  spec.recovery.retry.on_failure = which == 0;
  return spec;
}

}  // namespace

const char* Name(WorkloadKind kind) {
  constexpr const char* kNames[] = {"Jobs", "Faults", "Snapshots", "Drops"};
  return kNames[static_cast<int>(kind)];
}

void Workload::Run(int first, int rounds) {
  if (first == 0) Join();
  for (int round = first; round < first + rounds; ++round) Round(round);
}

void Workload::Tell(const Command& command) { (void)loop_.Execute("test", "", command); }

void Workload::Join() {
  for (const char* name : kNodes) {
    JoinNode join;
    join.facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts(name, {0, 0, 1, 1}));
    join.incarnation = 1;
    join.fresh = true;
    Tell(join);
    ReportNode report{
        Look([&](const State& state) { return state.nodes.by_name.at(name); }), 1, {}, {}};
    for (int gpu = 0; gpu < kGpus; ++gpu) report.gpus.push_back({gpu, true, false, ""});
    Tell(report);
  }
}

void Workload::Round(int round) {
  clock_.Advance(Duration::Seconds(1));
  for (uint32_t node = 0; node < std::size(kNodes); ++node) loop_.HeardFrom(NodeId{node});
  SubmitSome(round);
  if (HasSnapshots(kind_)) ChangeQueues(round);
  ReportLeases(round);
  if (kind_ == WorkloadKind::kFaults) ReportFaults(round);
  if (kind_ == WorkloadKind::kFaults) EndTasks();
}

Outcome Workload::Submit(const std::string& request_id, const JobSpec& spec) {
  Outcome outcome =
      loop_.Execute("user:ana", request_id,
                    SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}});
  if (outcome.status) witness_.Promise(request_id, outcome.job.value);
  return outcome;
}

// One alone and two in one batch.
void Workload::SubmitSome(int round) {
  const std::string id = "r" + std::to_string(round) + "-";
  JobSpec spec = Spec(round, 0);
  if (HasSnapshots(kind_) && round % 2 == 0) spec.policy.array = {3, 2};
  Submit(id + "0", spec);
  if (round % 2 == 0) return;
  std::vector<std::pair<ClientRequest, Command>> two;
  for (int which = 1; which < 3; ++which) {
    two.emplace_back(
        id + std::to_string(which),
        SubmitJob{std::make_shared<const JobSpec>(Spec(round, which)), {"ana", 1000, 1000}});
  }
  const std::vector<Outcome> outcomes = loop_.ExecuteAll("user:ana", two, {});
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].status) witness_.Promise(two[i].first.id, outcomes[i].job.value);
  }
}

// What has started runs on for a round and ends; every third one badly.
void Workload::ReportLeases(int round) {
  for (uint32_t node = 0; node < std::size(kNodes); ++node) {
    ReportNode report{NodeId{node}, 1, {}, {}};
    report.leases = Look([&](const State& state) {
      std::vector<LeaseObservation> seen;
      for (const LeaseId id : state.FindNode(NodeId{node})->leases) {
        LeaseObservation one;
        one.lease = id;
        one.running = true;
        one.started_at = clock_.Now();
        if (state.FindLease(id)->phase == LeasePhase::kStarted &&
            (round + static_cast<int>(id.value)) % 2 == 0) {
          one.running = false;
          one.ended = true;
          one.ended_at = clock_.Now();
          one.outcome.exit_code = id.value % 3 == 0 ? 7 : 0;
        }
        seen.push_back(one);
      }
      return seen;
    });
    Tell(report);
  }
}

void Workload::ReportFaults(int round) {
  constexpr int kXids[] = {13, 48, 31, 95, 63, 79};
  ReportGpus report{NodeId{static_cast<uint32_t>(round) % 2}, 1, {}, {}};
  FaultSignal signal;
  signal.number = ++signals_ + static_cast<uint64_t>(round) * 8;
  signal.gpu = round % kGpus;
  signal.xid = kXids[static_cast<size_t>(round) % std::size(kXids)];
  signal.at = clock_.Now();
  report.signals.push_back(signal);
  Tell(report);
  if (round % 4 != 3) return;
  const auto incident = Look([](const State& state) {
    return state.faults.incidents.empty() ? IncidentId{} : state.faults.incidents.begin()->first;
  });
  Tell(ChangeIncident{incident, IncidentState::kClosed, "seen"});
}

void Workload::EndTasks() {
  for (uint32_t node = 0; node < std::size(kNodes); ++node) {
    ReportGpus report{NodeId{node}, 1, {}, {}};
    report.results = Look([&](const State& state) {
      std::vector<GpuTaskResult> results;
      for (int gpu = 0; gpu < kGpus; ++gpu) {
        const GpuTrouble* trouble = FindTrouble(state, {NodeId{node}, gpu});
        if (trouble != nullptr && trouble->task != GpuTask::kNone)
          results.push_back({gpu, trouble->task_number, true, "done"});
      }
      return results;
    });
    if (!report.results.empty()) Tell(report);
  }
}

void Workload::ChangeQueues(int round) {
  SetQueue set;
  set.name = "team" + std::to_string(round % 3);
  set.weight = 1 + round;
  Tell(set);
  const auto waiting = Look([](const State& state) {
    for (const auto& [id, job] : state.jobs.all) {
      if (job.state == JobState::kQueued) return id;
    }
    return JobId{};
  });
  Tell(SetPriority{waiting, 400 + round});
  Tell(ChangeJobQueue{waiting, set.name});
  Tell(HoldJob{waiting});
  Tell(ReleaseJob{waiting});
}

}  // namespace gp
