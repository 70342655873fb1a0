#include "tests/property/faults/one_node.h"

#include <gtest/gtest.h>

#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/report_of.h"

namespace gp {

const char* Name(Fate fate) {
  switch (fate) {
    case Fate::kUntouched: return "untouched";
    case Fate::kNoted: return "noted";
    case Fate::kForgiven: return "forgiven";
    case Fate::kRestarted: return "restarted";
  }
  return "?";
}

OneNode::OneNode(const MigTable& mig) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0, 0, 0, 1, 1, 1, 1});
  for (GpuFacts& gpu : facts.gpus) gpu.mig = mig;
  cluster_.AddNode(facts);
}

void OneNode::Tell(const Command& command) {
  const auto events = cluster_.Execute(command);
  ASSERT_TRUE(events) << events.error().message;
}

JobId OneNode::RunInInstance(const std::string& user) { return Run(1, 250, user, Isolation::kMig); }

JobId OneNode::Run(int gpus, int share, const std::string& user, Isolation isolation) {
  JobSpec spec;
  spec.program.command = {"train"};
  spec.resources.gpus.count = gpus;
  spec.resources.cpus = 1;
  spec.resources.memory_bytes = int64_t{1} << 30;
  spec.recovery.retry.on_failure = false;
  if (share != kWholeShare) {
    spec.resources.gpus.isolation = isolation;
    spec.resources.gpus.share_thousandths = share;
  }
  Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}});
  cluster_.Pass();
  const JobId job{state().jobs.last};
  Tell(ReportOf(state(), cluster_.now(), state().FindJob(job)->leases.front(), std::nullopt));
  EXPECT_EQ(state().FindJob(job)->state, JobState::kRunning);
  return job;
}

JobId OneNode::Submit(int gpus) {
  JobSpec spec;
  spec.program.command = {"train"};
  spec.resources.gpus.count = gpus;
  spec.resources.cpus = 1;
  spec.resources.memory_bytes = int64_t{1} << 30;
  Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
  cluster_.Pass();
  return {state().jobs.last};
}

int OneNode::GpuOf(JobId job) const {
  return state().FindLease(state().FindJob(job)->leases.front())->gpus.front().gpu;
}

FaultSignal OneNode::Xid(int gpu, int xid, JobId named) const {
  FaultSignal signal;
  signal.gpu = gpu;
  signal.xid = xid;
  if (named.value != 0) signal.lease = state().FindJob(named)->leases.front();
  return signal;
}

void OneNode::Report(FaultSignal signal) {
  signal.number = ++signals_;
  signal.at = cluster_.now();
  Tell(ReportGpus{{0}, 1, {signal}, {}});
}

void OneNode::Read(int gpu, const GpuVitals& vitals) {
  ReportNode report{{0}, 1, {}, {{gpu, true, vitals.lost, "", Examine(vitals)}}};
  for (const LeaseId id : state().nodes.all[0].leases) {
    LeaseObservation seen;
    seen.lease = id;
    seen.running = true;
    seen.started_at = cluster_.now();
    report.leases.push_back(seen);
  }
  Tell(report);
}

void OneNode::Tick() { Tell(gp::Tick{}); }

void OneNode::End(JobId job, const LeaseOutcome& outcome) {
  const LeaseId ended = state().FindJob(job)->leases.front();
  ReportNode report{{0}, 1, {}, {}};
  for (const LeaseId id : state().nodes.all[0].leases) {
    LeaseObservation seen;
    seen.lease = id;
    seen.running = true;
    seen.started_at = cluster_.now();
    if (id == ended) {
      seen.ended = true;
      seen.ended_at = cluster_.now();
      seen.outcome = outcome;
    }
    report.leases.push_back(seen);
  }
  Tell(report);
}

void OneNode::Exit(JobId job, int code) { End(job, {LeaseEnd::kExited, code, 0, ""}); }

Fate OneNode::EndAndJudge(JobId id, Duration after) {
  const Job before = *state().FindJob(id);
  if (before.stop == StopCause::kFault) {
    EXPECT_EQ(state().FindLease(before.leases.front())->stop, StopOrder::kKill);
    End(id, {LeaseEnd::kStopped, 0, 0, ""});
    const Job& job = *state().FindJob(id);
    EXPECT_EQ(job.state, JobState::kQueued);
    EXPECT_EQ(job.retries_used, 0);
    EXPECT_EQ(job.faults, 1);
    return Fate::kRestarted;
  }
  EXPECT_EQ(before.stop, StopCause::kNone);
  EXPECT_EQ(before.state, JobState::kRunning);
  Advance(after);
  Exit(id, 1);
  const Job& job = *state().FindJob(id);
  if (job.state == JobState::kQueued && job.faults == 1 && job.retries_used == 0)
    return Fate::kForgiven;
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.faults, 0);
  return before.xids.empty() ? Fate::kUntouched : Fate::kNoted;
}

GpuTrouble OneNode::trouble(int index) const {
  const GpuTrouble* trouble = FindTrouble(state(), {{0}, index});
  return trouble == nullptr ? GpuTrouble{} : *trouble;
}

Incident OneNode::incident(int index) const {
  const IncidentId id = trouble(index).incident;
  return id.value == 0 ? Incident{} : state().faults.incidents.at(id);
}

}  // namespace gp
