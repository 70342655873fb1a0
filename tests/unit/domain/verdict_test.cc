// The one verdict on a GPU: which of its node, its presence, its readings, its remedy and its
// condition decides, and what follows in words.

#include "domain/cluster/nodes/verdict.h"

#include <gtest/gtest.h>

#include <functional>

namespace gp {
namespace {

constexpr GpuKey kJudged{{0}, 0};
constexpr Instant kReportedAt{1'000'000'000};

class Verdicts : public testing::Test {
 protected:
  Verdicts() {
    NodeFacts facts;
    facts.name = "n1";
    facts.gpus.resize(1);
    facts.gpus[0].uuid = "GPU-1";
    Node node;
    node.id = {0};
    node.facts = std::make_shared<const NodeFacts>(facts);
    node.gpus.resize(1);
    node.gpus[0].condition = GpuCondition::kAvailable;
    state_.nodes.all = {node};
  }

  Node& node() { return state_.nodes.all[0]; }
  Gpu& gpu() { return state_.nodes.all[0].gpus[0]; }
  GpuTrouble& trouble() { return state_.faults.troubles[kJudged]; }
  void SetPresence(GpuPresence presence) {
    NodeFacts facts = *node().facts;
    facts.gpus[0].presence = presence;
    node().facts = std::make_shared<const NodeFacts>(facts);
  }
  Incident& Open() {
    trouble().incident = {3};
    Incident& incident = state_.faults.incidents[{3}];
    incident.id = {3};
    incident.cause = "XID 79";
    incident.opened_at = kReportedAt;
    return incident;
  }
  // "LEVEL code | why | what follows", with "+" where it takes new work.
  std::string Judged() const {
    const GpuVerdict verdict = VerdictOf(state_, kJudged);
    return std::string(verdict.takes_new_work ? "+" : "") + Name(verdict.level) + " " +
           verdict.code + " | " + verdict.why + " | " + verdict.follows;
  }

  State state_;
};

TEST_F(Verdicts, OfAHealthyGpuSayNothing) {
  EXPECT_EQ(Judged(), "+ok ok |  | ");
  gpu().draining = true;
  EXPECT_EQ(Judged(), "ok ok |  | ") << "healthy, and it takes no new work";
  gpu().draining = false;
  node().draining = true;
  EXPECT_EQ(Judged(), "ok ok |  | ");
}

TEST_F(Verdicts, OfALostNodeComeBeforeAllElse) {
  node().condition = NodeCondition::kLost;
  gpu().condition = GpuCondition::kLost;
  trouble().remedy = GpuRemedy::kReboot;
  EXPECT_EQ(Judged(), "UNKNOWN node-lost | its node does not answer | no new work until it does");
}

TEST_F(Verdicts, OfAMissingGpuNameTheIncidentToClose) {
  SetPresence(GpuPresence::kMissing);
  gpu().condition = GpuCondition::kLost;
  gpu().reason = "is missing";
  EXPECT_EQ(Judged(), "FAIL missing | is missing | tested when it is back");
  Open();
  EXPECT_EQ(Judged(),
            "FAIL missing | is missing | tested when it is back; where it is gone for good, close "
            "incident-3");
}

TEST_F(Verdicts, OfReadingsFollowTheTableOfThePolicy) {
  struct Case {
    HealthFinding finding;
    const char* verdict;
  };
  const Case cases[] = {
      {{HealthCode::kLinkDown, 17, 18},
       "+WARN nvlink-down | 17 of 18 NVLinks are up | granted to work of one GPU only, until it is "
       "healthy again"},
      {{HealthCode::kWarm, 86, 0},
       "+WARN warm | 86 °C: close to the temperature at which it slows down | no new work until it "
       "is healthy again"},
      {{HealthCode::kUnread, 9, 0},
       "+UNKNOWN unread | no reading for 9 s: the driver does not answer | no new work until it is "
       "healthy again"},
      {{HealthCode::kUncorrected, 1, 0},
       "+FAIL ecc-uncorrected | 1 uncorrected memory error since its last reset | no new work; "
       "reset and tested when idle"},
      {{HealthCode::kRemapFailed, 0, 0},
       "+FAIL row-remap-failed | a memory row could not be remapped | operator action required: "
       "gpu-platform reset or online when it is repaired"},
  };
  for (const Case& one : cases) {
    trouble().findings = {one.finding};
    EXPECT_EQ(Judged(), one.verdict);
  }
  state_.policy.faults.health[HealthCode::kRemapFailed] = HealthAction::kNone;
  EXPECT_EQ(Judged(), "+ok ok |  | ") << "the policy takes it for nothing";
}

TEST_F(Verdicts, OfSeveralReadingsAreThatOfTheWorst) {
  trouble().findings = {{HealthCode::kLinkDown, 17, 18}, {HealthCode::kUncorrected, 2, 0}};
  EXPECT_EQ(Judged(),
            "+FAIL ecc-uncorrected | 2 uncorrected memory errors since its last reset | no new "
            "work; reset and tested when idle");
}

// A remedy that asks for more than the readings is what the verdict is about.
TEST_F(Verdicts, OfReportsOutweighMilderReadings) {
  trouble().findings = {{HealthCode::kLinkDown, 17, 18}};
  trouble().remedy = GpuRemedy::kTest;
  gpu().reason = "is to be tested";
  EXPECT_EQ(Judged(), "+FAIL nvlink-down | is to be tested | no new work; tested when idle");
  trouble().xids = {{31, kReportedAt}};
  EXPECT_EQ(Judged(), "+FAIL xid-31 | is to be tested | no new work; tested when idle");
  trouble().findings = {{HealthCode::kRemapFailed, 0, 0}};
  EXPECT_EQ(Judged(),
            "+FAIL row-remap-failed | a memory row could not be remapped | operator action "
            "required: gpu-platform reset or online when it is repaired");
}

TEST_F(Verdicts, OfEachRemedySayWhatFollows) {
  const std::pair<GpuRemedy, const char*> remedies[] = {
      {GpuRemedy::kNone, "+ok ok |  | "},
      {GpuRemedy::kWatch, "+ok ok |  | "},
      {GpuRemedy::kTest, "+FAIL reported |  | no new work; tested when idle"},
      {GpuRemedy::kResetWhenIdle, "+WARN reported |  | reset and tested when idle"},
      {GpuRemedy::kDrainReset, "+FAIL reported |  | no new work; reset and tested when idle"},
      {GpuRemedy::kReset,
       "+FAIL reported |  | no new work; reset and tested when its jobs have ended"},
      {GpuRemedy::kOperator,
       "+FAIL reported |  | operator action required: gpu-platform reset or online when it is "
       "repaired"},
      {GpuRemedy::kReboot,
       "+FAIL reported |  | operator action required: drain and reboot its node, then gpu-platform "
       "online"},
  };
  for (const auto& [remedy, verdict] : remedies) {
    trouble().remedy = remedy;
    EXPECT_EQ(Judged(), verdict) << Name(remedy);
  }
}

// Where the GPU has no reason of its own the verdict gives the cause of the incident.
TEST_F(Verdicts, OfARemedyNameTheCauseOfItsIncident) {
  Open();
  trouble().remedy = GpuRemedy::kReboot;
  trouble().xids = {{31, kReportedAt - Duration{1}}};
  const std::string follows =
      " | operator action required: drain and reboot its node, then gpu-platform online";
  EXPECT_EQ(Judged(), "+FAIL reported | XID 79" + follows) << "the XID came before the incident";
  trouble().xids.push_back({79, kReportedAt});
  EXPECT_EQ(Judged(), "+FAIL xid-79 | XID 79" + follows);
  gpu().reason = "fell off the bus";
  EXPECT_EQ(Judged(), "+FAIL xid-79 | fell off the bus" + follows);
  state_.faults.incidents[{3}].state = IncidentState::kClosed;
  gpu().reason = "";
  EXPECT_EQ(Judged(), "+FAIL xid-79 | " + follows) << "the incident is over";
}

TEST_F(Verdicts, OfATaskUnderWayAreThoseOfTheCondition) {
  trouble().remedy = GpuRemedy::kReset;
  trouble().task = GpuTask::kReset;
  gpu().condition = GpuCondition::kResetting;
  EXPECT_EQ(Judged(), "FAIL resetting |  | being reset, then tested");
  trouble().findings = {{HealthCode::kRemapFailed, 0, 0}};
  EXPECT_EQ(Judged(), "FAIL resetting |  | being reset, then tested");
}

TEST_F(Verdicts, OfEachConditionSayWhatFollows) {
  gpu().reason = "why";
  const std::pair<GpuCondition, const char*> conditions[] = {
      {GpuCondition::kUnknown, "UNKNOWN untested | why | no new work until it is tested"},
      {GpuCondition::kTesting, "UNKNOWN untested | why | no new work until it is tested"},
      {GpuCondition::kSuspect, "FAIL suspect | why | no new work"},
      {GpuCondition::kQuarantined, "FAIL suspect | why | no new work"},
      {GpuCondition::kResetting, "FAIL resetting | why | being reset, then tested"},
      {GpuCondition::kOffline, "FAIL out-of-service | why | no new work until gpu-platform online"},
      {GpuCondition::kLost, "FAIL lost | why | no new work until it answers"},
      {GpuCondition::kAvailable, "+ok ok |  | "},
      {GpuCondition::kUnlinked, "+ok ok |  | "},
  };
  for (const auto& [condition, verdict] : conditions) {
    gpu().condition = condition;
    EXPECT_EQ(Judged(), verdict) << Name(condition);
  }
}

// It works, and a person has still to look at what was seen.
TEST_F(Verdicts, OfAnIncidentThatNeedsAPersonWarn) {
  Incident& incident = Open();
  EXPECT_EQ(Judged(), "+ok ok |  | ");
  incident.needs_person = true;
  EXPECT_EQ(Judged(),
            "+WARN reported | XID 79 | operator action required: look at it, and close "
            "incident-3");
  incident.state = IncidentState::kAcknowledged;
  EXPECT_EQ(Judged(),
            "+WARN reported | XID 79 | operator action required: look at it, and close "
            "incident-3");
  incident.state = IncidentState::kClosed;
  EXPECT_EQ(Judged(), "+ok ok |  | ");
}

// An open breaker holds back what would be done automatically, and nothing else.
TEST_F(Verdicts, OfWhatABreakerHoldsNameItsIncident) {
  state_.faults.breakers[kDefaultPool] = {9};
  const std::string held =
      "; held: nothing is reset automatically in this pool until incident-9 is closed";
  for (int i = 0; i <= static_cast<int>(GpuRemedy::kReboot); ++i) {
    trouble().remedy = static_cast<GpuRemedy>(i);
    const bool is_held =
        trouble().remedy >= GpuRemedy::kTest && trouble().remedy <= GpuRemedy::kReset;
    EXPECT_EQ(HeldBy(state_, kJudged), is_held ? IncidentId{9} : IncidentId{})
        << Name(trouble().remedy);
    EXPECT_EQ(Judged().ends_with(held), is_held);
  }
  trouble().remedy = GpuRemedy::kReset;
  trouble().is_requested = true;
  EXPECT_EQ(HeldBy(state_, kJudged), IncidentId{}) << "a person asked for it";
  trouble().is_requested = false;
  trouble().task = GpuTask::kReset;
  EXPECT_EQ(HeldBy(state_, kJudged), IncidentId{}) << "it is under way";
  trouble().task = GpuTask::kNone;
  node().pool = "big";
  EXPECT_EQ(HeldBy(state_, kJudged), IncidentId{}) << "of another pool";
  state_.faults.troubles.clear();
  EXPECT_EQ(HeldBy(state_, kJudged), IncidentId{});
}

}  // namespace
}  // namespace gp
