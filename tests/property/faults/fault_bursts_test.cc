// Reports that come together, GPUs in MPS mode, and what the driver itself asks for.

#include <gtest/gtest.h>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/nodes/faults.h"
#include "tests/property/faults/one_node.h"
#include "tests/support/mig_models.h"

namespace gp {
namespace {

// Two jobs on one GPU, the first of which the reports name, and one on two other GPUs.
class FaultBursts : public testing::Test {
 protected:
  FaultBursts()
      : named_(node_.Run(1, 500)),
        mate_(node_.Run(1, 500)),
        linked_(node_.Run(2)),
        gpu_(node_.GpuOf(named_)) {}

  ~FaultBursts() override {
    EXPECT_TRUE(node_.cluster().broken().empty()) << node_.cluster().broken().front();
  }

  void Report(int xid, DriverAdvice advice = DriverAdvice::kUnknown,
              DriverAdvice reported = DriverAdvice::kUnknown) {
    FaultSignal signal = node_.Xid(gpu_, xid, named_);
    signal.advice = advice;
    signal.reported = reported;
    node_.Report(signal);
    node_.Advance(Duration::Seconds(1));
  }

  void ExpectGpu(GpuCondition condition, GpuRemedy remedy, size_t incidents,
                 bool needs_person = false) {
    EXPECT_STREQ(Name(node_.gpu(gpu_).condition), Name(condition));
    EXPECT_STREQ(Name(node_.trouble(gpu_).remedy), Name(remedy));
    EXPECT_EQ(node_.state().faults.incidents.size(), incidents);
    EXPECT_EQ(node_.incident(gpu_).needs_person, needs_person);
  }

  void ExpectFates(Fate named, Fate mate, Fate linked = Fate::kUntouched) {
    EXPECT_STREQ(Name(node_.EndAndJudge(named_)), Name(named)) << "the job that is named";
    EXPECT_STREQ(Name(node_.EndAndJudge(mate_, Duration{})), Name(mate)) << "the job beside it";
    EXPECT_STREQ(Name(node_.EndAndJudge(linked_, Duration{})), Name(linked)) << "the job elsewhere";
  }

  OneNode node_;
  JobId named_, mate_, linked_;
  int gpu_ = 0;
};

TEST_F(FaultBursts, AnUncorrectableErrorAlone) {
  Report(48);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, AnUncorrectableErrorAndItsRemappedRow) {
  Report(48);
  Report(63);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, TheRemappedRowFirst) {
  Report(63);
  ExpectGpu(GpuCondition::kAvailable, GpuRemedy::kResetWhenIdle, 1);
  Report(48);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, AnUncorrectableErrorWhoseRowCouldNotBeRemapped) {
  Report(48);
  Report(64);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, AContainedErrorHitsOneProgram) {
  Report(94);
  Report(48);
  ExpectGpu(GpuCondition::kAvailable, GpuRemedy::kResetWhenIdle, 1);
  ExpectFates(Fate::kRestarted, Fate::kUntouched);
}

TEST_F(FaultBursts, AContainedErrorLongBeforeExcusesNothing) {
  Report(94);
  node_.Advance(Duration::Seconds(5));
  Report(48);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, AProgramThatWentAwaySaysNothing) {
  for (int i = 0; i < 20; ++i) Report(45);
  ExpectGpu(GpuCondition::kAvailable, GpuRemedy::kNone, 0);
  ExpectFates(Fate::kUntouched, Fate::kUntouched);
}

TEST_F(FaultBursts, ProgramsThatWentAwayWithTheGpuAreNoFurtherFault) {
  Report(45);
  Report(79);
  Report(45);
  ExpectGpu(GpuCondition::kLost, GpuRemedy::kReboot, 1, true);
  EXPECT_FALSE(node_.state().nodes.all[0].draining);
  EXPECT_EQ(node_.incident(gpu_).reports, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, TheTextOf154Decides) {
  struct Case {
    DriverAdvice reported;
    GpuCondition condition;
    GpuRemedy remedy;
    bool restarts_all;
    bool needs_person;
  };
  const Case cases[] = {
      {DriverAdvice::kNone, GpuCondition::kAvailable, GpuRemedy::kNone, false, false},
      {DriverAdvice::kGpuReset, GpuCondition::kQuarantined, GpuRemedy::kReset, true, false},
      {DriverAdvice::kNodeReboot, GpuCondition::kQuarantined, GpuRemedy::kReboot, true, true},
      {DriverAdvice::kDrainP2p, GpuCondition::kSuspect, GpuRemedy::kDrainReset, false, false},
      {DriverAdvice::kDrainAndReset, GpuCondition::kSuspect, GpuRemedy::kDrainReset, false, false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(Name(one.reported));
    OneNode node;
    const JobId job = node.Run(1);
    FaultSignal signal = node.Xid(node.GpuOf(job), 154, job);
    signal.reported = one.reported;
    node.Report(signal);
    EXPECT_STREQ(Name(node.gpu(signal.gpu).condition), Name(one.condition));
    EXPECT_STREQ(Name(node.trouble(signal.gpu).remedy), Name(one.remedy));
    EXPECT_EQ(node.incident(signal.gpu).needs_person, one.needs_person);
    EXPECT_FALSE(node.state().nodes.all[0].draining);
    EXPECT_EQ(node.EndAndJudge(job) == Fate::kRestarted, one.restarts_all);
  }
}

// An IMEX domain joins the GPUs of many nodes: none of them has failed.
TEST_F(FaultBursts, AnImexDomainIsNoGpus) {
  Report(154, DriverAdvice::kUnknown, DriverAdvice::kRecoverImex);
  Report(31, DriverAdvice::kRecoverImex);
  ExpectGpu(GpuCondition::kAvailable, GpuRemedy::kNone, 1);
  for (const auto& [id, incident] : node_.state().faults.incidents) {
    EXPECT_EQ(incident.gpu, -1);
    EXPECT_TRUE(incident.needs_person);
  }
  EXPECT_FALSE(node_.state().nodes.all[0].draining);
  ExpectFates(Fate::kNoted, Fate::kUntouched);
}

// An NVLink error whose other end has failed: this GPU goes on.
TEST_F(FaultBursts, AnErrorOfThePeerTakesNoGpuOut) {
  FaultSignal signal = node_.Xid(node_.GpuOf(linked_), 149, linked_);
  signal.is_of_peer = true;
  node_.Report(signal);
  EXPECT_STREQ(Name(node_.gpu(signal.gpu).condition), "AVAILABLE");
  ASSERT_EQ(node_.state().faults.incidents.size(), 1u);
  EXPECT_EQ(node_.state().faults.incidents.begin()->second.gpu, -1);
  EXPECT_EQ(node_.state().faults.incidents.begin()->second.jobs_hit, 1);
  ExpectFates(Fate::kUntouched, Fate::kUntouched, Fate::kRestarted);
}

// NVSwitches join the GPUs of a node: who has one of them does not need them.
TEST_F(FaultBursts, AFatalErrorOfTheFabricEndsWhoUsesSeveralGpus) {
  FaultSignal signal;
  signal.gpu = -1;
  signal.kind = SignalKind::kFabric;
  signal.xid = 20034;
  signal.is_fatal = false;
  node_.Report(signal);
  EXPECT_TRUE(node_.state().faults.incidents.empty());
  EXPECT_FALSE(node_.state().nodes.all[0].draining);
  signal.is_fatal = true;
  node_.Report(signal);
  EXPECT_TRUE(node_.state().nodes.all[0].draining);
  ASSERT_EQ(node_.state().faults.incidents.size(), 1u);
  const Incident& incident = node_.state().faults.incidents.begin()->second;
  EXPECT_EQ(incident.cause, "SXid 20034");
  EXPECT_EQ(incident.jobs, std::vector<JobId>{linked_});
  EXPECT_TRUE(incident.needs_person);
  for (const Gpu& gpu : node_.state().nodes.all[0].gpus)
    EXPECT_EQ(gpu.condition, GpuCondition::kAvailable);
  EXPECT_TRUE(node_.cluster().ReplayAgrees());
  ExpectFates(Fate::kUntouched, Fate::kUntouched, Fate::kRestarted);
}

// What takes the links out of use ends those that use them, and nobody else.
TEST_F(FaultBursts, ADrainOfTheLinksEndsWhoUsesSeveralGpus) {
  FaultSignal signal = node_.Xid(node_.GpuOf(linked_), 154, linked_);
  signal.reported = DriverAdvice::kDrainP2p;
  node_.Report(signal);
  EXPECT_STREQ(Name(node_.gpu(signal.gpu).condition), "SUSPECT");
  ExpectFates(Fate::kUntouched, Fate::kUntouched, Fate::kRestarted);
}

TEST_F(FaultBursts, ATextThatAsksForMoreOverridesAMildCode) {
  Report(31);
  ExpectGpu(GpuCondition::kAvailable, GpuRemedy::kNone, 0);
  Report(154, DriverAdvice::kUnknown, DriverAdvice::kGpuReset);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, TheDriversAdviceOverridesAMildCode) {
  Report(43, DriverAdvice::kDrainAndReset);
  ExpectGpu(GpuCondition::kSuspect, GpuRemedy::kDrainReset, 1);
  ExpectFates(Fate::kNoted, Fate::kUntouched);
}

// Who is hit by the code is hit all the same; what is done to the GPU is the driver's word.
TEST_F(FaultBursts, TheDriversAdviceOverridesASevereCode) {
  Report(109, DriverAdvice::kDrainAndReset);
  ExpectGpu(GpuCondition::kSuspect, GpuRemedy::kDrainReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, ASevereCodeIsObeyedWhereTheDriverAsksForNothing) {
  Report(109, DriverAdvice::kNone);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReset, 1);
  ExpectFates(Fate::kRestarted, Fate::kRestarted);
}

TEST_F(FaultBursts, WhatTheDriverAsksForNowIsNewerThanTheText) {
  Report(154, DriverAdvice::kNodeReboot, DriverAdvice::kDrainAndReset);
  ExpectGpu(GpuCondition::kQuarantined, GpuRemedy::kReboot, 1, true);
}

TEST_F(FaultBursts, AReportThatNamesNobodyEndsNoneOfTwo) {
  FaultSignal signal = node_.Xid(gpu_, 68);
  node_.Report(signal);
  EXPECT_EQ(node_.state().faults.incidents.size(), 0u);
  ExpectFates(Fate::kForgiven, Fate::kForgiven);
}

// The same two jobs, as if they had been placed in MPS mode.
class MpsFaults : public FaultBursts {
 protected:
  // What is left after the report of an error that names the first job, or nobody.
  State After(int xid, bool is_named) {
    State state = node_.state();
    Gpu& gpu = state.nodes.all[0].gpus[static_cast<size_t>(gpu_)];
    gpu.mode = GpuMode::kMps;
    for (const LeaseId id : gpu.leases) state.leases.all.at(id).mode = GpuMode::kMps;
    FaultSignal signal = is_named ? node_.Xid(gpu_, xid, named_) : node_.Xid(gpu_, xid);
    signal.number = 1;
    const Instant now = node_.cluster().now();
    const auto events = Decide(state, {now, "test", "", ReportGpus{{0}, 1, {signal}, {}}});
    EXPECT_TRUE(events.has_value());
    for (const Event& event : *events) Apply(state, now, event);
    EXPECT_EQ(state.FindJob(linked_)->stop, StopCause::kNone) << xid;
    return state;
  }
};

TEST_F(MpsFaults, ClientsOfOneServerShareItsFate) {
  for (const int xid : {94, 68, 39}) {
    const State state = After(xid, true);
    EXPECT_EQ(state.FindJob(named_)->stop, StopCause::kFault) << xid;
    EXPECT_EQ(state.FindJob(mate_)->stop, StopCause::kFault) << xid;
    EXPECT_EQ(state.nodes.all[0].gpus[static_cast<size_t>(gpu_)].condition,
              GpuCondition::kAvailable)
        << xid;
    EXPECT_EQ(state.faults.incidents.begin()->second.jobs_hit, 2) << xid;
  }
}

TEST_F(MpsFaults, AProgramsOwnErrorIsItsOwnAndEndsItsCoClients) {
  for (const int xid : {11, 13, 25, 31, 43, 69}) {
    const State state = After(xid, true);
    EXPECT_EQ(state.FindJob(named_)->stop, StopCause::kNone) << xid;
    EXPECT_FALSE(state.FindJob(named_)->xids.back().forgiven) << xid;
    EXPECT_EQ(state.FindJob(mate_)->stop, StopCause::kFault) << xid;
    EXPECT_TRUE(state.FindJob(mate_)->xids.back().forgiven) << xid;
    EXPECT_EQ(state.nodes.all[0].gpus[static_cast<size_t>(gpu_)].condition,
              GpuCondition::kAvailable)
        << xid;
    EXPECT_EQ(state.faults.incidents.begin()->second.jobs, std::vector<JobId>{mate_}) << xid;
  }
}

TEST_F(MpsFaults, WhereNobodyIsNamedItMayHaveBeenAny) {
  for (const int xid : {13, 31, 43, 68}) {
    const State state = After(xid, false);
    EXPECT_EQ(state.FindJob(named_)->stop, StopCause::kFault) << xid;
    EXPECT_EQ(state.FindJob(mate_)->stop, StopCause::kFault) << xid;
  }
}

// A client's fatal error without a report: its neighbour dies of it, and nobody says whose it was.
TEST_F(MpsFaults, WhoFallsWithItsServerIsChargedOnlyWhereItIsNamed) {
  const auto end = [&](JobId job) {
    LeaseOutcome outcome{LeaseEnd::kExited, 4, 0, ""};
    outcome.clues.mps_failed = true;
    node_.End(job, outcome);
    return node_.state().FindJob(job)->faults;
  };
  EXPECT_EQ(end(mate_), 1);
  EXPECT_EQ(node_.state().FindJob(mate_)->state, JobState::kQueued);
  EXPECT_EQ(node_.state().FindJob(mate_)->retries_used, 0);
  node_.Report(node_.Xid(gpu_, 31, named_));
  EXPECT_EQ(end(named_), 0);
  EXPECT_EQ(node_.state().FindJob(named_)->state, JobState::kFailed);
}

// Instances of two users on one GPU, placed as such.
TEST(MigFaults, AreOfTheInstanceThatIsNamed) {
  for (const int xid : {94, 68, 39, 31, 13, 43}) {
    OneNode node(A100Mig());
    const JobId hit = node.RunInInstance("ana");
    const JobId mate = node.RunInInstance("ben");
    ASSERT_EQ(node.GpuOf(hit), node.GpuOf(mate));
    node.Report(node.Xid(node.GpuOf(hit), xid, hit));
    const bool ends_it = xid == 94 || xid == 68 || xid == 39;
    EXPECT_EQ(node.state().FindJob(hit)->stop, ends_it ? StopCause::kFault : StopCause::kNone)
        << xid;
    EXPECT_EQ(node.state().FindJob(mate)->stop, StopCause::kNone) << xid;
    EXPECT_TRUE(node.state().FindJob(mate)->xids.empty()) << xid;
  }
}

TEST(MigFaults, OfTheGpuAreEverybodys) {
  for (const int xid : {95, 48, 79, 119}) {
    OneNode node(A100Mig());
    const JobId hit = node.RunInInstance("ana");
    const JobId mate = node.RunInInstance("ben");
    node.Report(node.Xid(node.GpuOf(hit), xid, hit));
    EXPECT_EQ(node.state().FindJob(hit)->stop, StopCause::kFault) << xid;
    EXPECT_EQ(node.state().FindJob(mate)->stop, StopCause::kFault) << xid;
    EXPECT_NE(node.state().nodes.all[0].gpus[static_cast<size_t>(node.GpuOf(hit))].condition,
              GpuCondition::kAvailable)
        << xid;
  }
}

TEST_F(MpsFaults, AFollowOnEndsNobody) {
  const State state = After(45, true);
  EXPECT_EQ(state.FindJob(mate_)->stop, StopCause::kNone);
  EXPECT_TRUE(state.faults.incidents.empty());
}

}  // namespace
}  // namespace gp
