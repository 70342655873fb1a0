// A GPU made sick in each way that readings show, with and without an XID that tells of it.

#include <gtest/gtest.h>

#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/verdict.h"
#include "tests/property/faults/one_node.h"

namespace gp {
namespace {

constexpr int kGpu = 3;

struct Way {
  const char* name;
  GpuVitals vitals;
  int xid;           // that the driver may report of it; 0: none
  const char* code;  // of the verdict, by its readings alone
  HealthLevel level;
  GpuCondition condition;  // by its readings alone
  bool heals_itself;       // it is back when its readings are well, without a reset or an operator
};

GpuVitals With(auto change) {
  GpuVitals vitals;
  vitals.links_active = vitals.links_total = 18;
  change(vitals);
  return vitals;
}

const Way kWays[] = {
    {"Uncorrected", With([](GpuVitals& v) { v.uncorrected = 3; }), 48, "ecc-uncorrected",
     HealthLevel::kFail, GpuCondition::kSuspect, false},
    {"OneUncorrected", With([](GpuVitals& v) { v.uncorrected = 1; }), 94, "ecc-uncorrected",
     HealthLevel::kFail, GpuCondition::kSuspect, false},
    {"RemapPending", With([](GpuVitals& v) { v.remap_pending = true; }), 63, "row-remap-pending",
     HealthLevel::kFail, GpuCondition::kSuspect, false},
    {"RemapFailed", With([](GpuVitals& v) { v.remap_failed = true; }), 64, "row-remap-failed",
     HealthLevel::kFail, GpuCondition::kQuarantined, false},
    {"LinkDown", With([](GpuVitals& v) { v.links_active = 17; }), 0, "nvlink-down",
     HealthLevel::kWarn, GpuCondition::kUnlinked, true},
    {"AllLinksDown", With([](GpuVitals& v) { v.links_active = 0; }), 0, "nvlink-down",
     HealthLevel::kWarn, GpuCondition::kUnlinked, true},
    {"Warm", With([](GpuVitals& v) {
       v.heat = Heat::kWarm;
       v.temperature_c = 86;
     }),
     0, "warm", HealthLevel::kWarn, GpuCondition::kSuspect, true},
    {"Critical", With([](GpuVitals& v) {
       v.heat = Heat::kCritical;
       v.temperature_c = 92;
     }),
     0, "critical-heat", HealthLevel::kFail, GpuCondition::kQuarantined, false},
    {"Unread", With([](GpuVitals& v) { v.unread_s = 4; }), 0, "unread", HealthLevel::kUnknown,
     GpuCondition::kSuspect, true},
    {"AsksForReset", With([](GpuVitals& v) { v.advice = DriverAdvice::kGpuReset; }), 119,
     "recovery-action", HealthLevel::kWarn, GpuCondition::kSuspect, true},
    {"AsksForReboot", With([](GpuVitals& v) { v.advice = DriverAdvice::kNodeReboot; }), 151,
     "recovery-action", HealthLevel::kWarn, GpuCondition::kSuspect, true},
    {"Lost", With([](GpuVitals& v) { v.lost = true; }), 79, "lost", HealthLevel::kFail,
     GpuCondition::kLost, false},
};

class Health : public testing::TestWithParam<Way> {
 protected:
  ~Health() override {
    EXPECT_TRUE(node_.cluster().broken().empty()) << node_.cluster().broken().front();
    EXPECT_TRUE(node_.cluster().ReplayAgrees());
  }
  GpuVerdict Verdict() const { return VerdictOf(node_.state(), {{0}, kGpu}); }
  // Whether a job of `gpus` GPUs is placed on this one.
  bool TakesWorkOf(int gpus) {
    const JobId job = node_.Submit(gpus);
    const auto& leases = node_.state().FindJob(job)->leases;
    if (leases.empty()) return false;
    for (const GpuGrant& grant : node_.state().FindLease(leases.front())->gpus) {
      if (grant.gpu == kGpu) return true;
    }
    return false;
  }
  const Incident* OpenIncident() const {
    for (const auto& [id, incident] : node_.state().faults.incidents) {
      if (incident.gpu == kGpu && incident.state != IncidentState::kClosed) return &incident;
    }
    return nullptr;
  }

  OneNode node_;
};

TEST_P(Health, ActsByItsReadingsAlone) {
  const Way& way = GetParam();
  node_.Read(kGpu, way.vitals);
  EXPECT_EQ(Verdict().code, way.code);
  EXPECT_STREQ(Name(Verdict().level), Name(way.level));
  EXPECT_FALSE(Verdict().why.empty());
  EXPECT_FALSE(Verdict().follows.empty());
  EXPECT_STREQ(Name(node_.gpu(kGpu).condition), Name(way.condition));
  ASSERT_NE(OpenIncident(), nullptr);
  EXPECT_FALSE(OpenIncident()->cause.empty());
  EXPECT_FALSE(TakesWorkOf(8));
  // The same again says nothing new.
  const size_t steps = OpenIncident()->steps.size();
  node_.Read(kGpu, way.vitals);
  EXPECT_EQ(OpenIncident()->steps.size(), steps);
}

TEST_P(Health, IsSaidOnceBesideItsXid) {
  const Way& way = GetParam();
  if (way.xid == 0) return;
  node_.Report(node_.Xid(kGpu, way.xid));
  node_.Read(kGpu, way.vitals);
  EXPECT_NE(Verdict().level, HealthLevel::kOk);
  EXPECT_FALSE(Verdict().takes_new_work);
  int open = 0;
  for (const auto& [id, incident] : node_.state().faults.incidents)
    open += incident.gpu == kGpu ? 1 : 0;
  EXPECT_EQ(open, 1);
}

TEST_P(Health, EndsNobodyThatRunsThere) {
  const Way& way = GetParam();
  const JobId all = node_.Run(8);
  node_.Read(kGpu, way.vitals);
  EXPECT_EQ(node_.state().FindJob(all)->stop, StopCause::kNone);
}

TEST_P(Health, IsBackByItselfWhereTheTableSaysSo) {
  const Way& way = GetParam();
  node_.Read(kGpu, way.vitals);
  const GpuVitals well = With([](GpuVitals&) {});
  for (int i = 0; i < 3; ++i) node_.Read(kGpu, well);
  EXPECT_EQ(Verdict().level == HealthLevel::kOk, way.heals_itself)
      << Verdict().code << " " << Verdict().why;
  EXPECT_EQ(OpenIncident() == nullptr, way.heals_itself);
  EXPECT_EQ(TakesWorkOf(8), way.heals_itself);
}

TEST_P(Health, StaysKnownOverTheIncidentWindow) {
  const Way& way = GetParam();
  node_.Read(kGpu, way.vitals);
  node_.Advance(Duration::Minutes(30));
  node_.Tick();
  EXPECT_TRUE(OpenIncident() != nullptr);
}

INSTANTIATE_TEST_SUITE_P(EachWay, Health, testing::ValuesIn(kWays),
                         [](const auto& about) { return about.param.name; });

TEST(HealthTable, HasARowForEveryCode) {
  for (int i = 0; i < kHealthCodes; ++i)
    EXPECT_TRUE(DefaultHealthTable().contains(static_cast<HealthCode>(i)))
        << Name(static_cast<HealthCode>(i));
}

TEST(HealthTable, OneGpuWithALinkDownTakesWorkOfOneGpu) {
  OneNode node;
  for (int gpu = 0; gpu < 8; ++gpu) node.Read(gpu, With([](GpuVitals& v) { v.links_active = 17; }));
  EXPECT_TRUE(node.state().FindJob(node.Submit(2))->leases.empty());
  EXPECT_FALSE(node.state().FindJob(node.Submit(1))->leases.empty());
  EXPECT_TRUE(node.cluster().broken().empty());
}

TEST(HealthTable, TheWorstOfSeveralIsTheVerdict) {
  OneNode node;
  node.Read(kGpu, With([](GpuVitals& v) {
              v.links_active = 17;
              v.uncorrected = 1;
              v.heat = Heat::kWarm;
            }));
  EXPECT_EQ(VerdictOf(node.state(), {{0}, kGpu}).code, "ecc-uncorrected");
  node.Read(kGpu, With([](GpuVitals& v) {
              v.links_active = 17;
              v.uncorrected = 1;
              v.remap_failed = true;
            }));
  EXPECT_EQ(VerdictOf(node.state(), {{0}, kGpu}).code, "row-remap-failed");
  EXPECT_EQ(node.trouble(kGpu).remedy, GpuRemedy::kOperator);
}

TEST(HealthTable, ReadingsThatAreOldSayNothingElse) {
  GpuVitals vitals;
  vitals.unread_s = 5;
  vitals.uncorrected = 9;
  vitals.heat = Heat::kCritical;
  ASSERT_EQ(Examine(vitals).size(), 1u);
  EXPECT_EQ(Examine(vitals)[0].code, HealthCode::kUnread);
}

}  // namespace
}  // namespace gp
