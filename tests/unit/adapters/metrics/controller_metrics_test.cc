#include "adapters/inbound/metrics/controller_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/cluster/nodes/report_of.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using testing::HasSubstr;
using testing::Not;

class Faults : public testing::Test {
 protected:
  Faults() { cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0})); }

  void Do(const Command& command) {
    const auto events = cluster_.Execute(command);
    ASSERT_TRUE(events) << events.error().message;
    metrics_.OnCommit(cluster_.state(), {.events = *events});
  }
  void RunJob() {
    JobSpec spec;
    spec.program.command = {"train"};
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    metrics_.OnCommit(cluster_.state(), {.events = cluster_.Pass()});
    const JobId job{cluster_.state().jobs.last};
    Do(ReportOf(cluster_.state(), cluster_.now(), cluster_.state().FindJob(job)->leases.front(),
                std::nullopt));
  }
  void Xid(int xid) {
    FaultSignal signal;
    signal.number = ++signals_;
    signal.xid = xid;
    Do(ReportGpus{{0}, 1, {signal}, {}});
  }
  // Those of the first GPUs of the node.
  std::map<std::string, v1::GpuReadings> ByUuid(
      NodeId node, const std::vector<v1::GpuReadings>& readings) const {
    std::map<std::string, v1::GpuReadings> by_uuid;
    const std::vector<GpuFacts>& gpus = cluster_.state().FindNode(node)->facts->gpus;
    for (size_t i = 0; i < std::min(readings.size(), gpus.size()); ++i)
      by_uuid[gpus[i].uuid] = readings[i];
    return by_uuid;
  }
  std::string Text(const std::string& names = "",
                   const std::vector<v1::GpuReadings>& readings = {}) const {
    return MetricsText(
               metrics_.Look(cluster_.state(), cluster_.now()),
               [&](NodeId node) { return ByUuid(node, readings); }, names)
        .value();
  }

  TestCluster cluster_;
  ControllerMetrics metrics_;
  uint64_t signals_ = 0;
};

TEST_F(Faults, WhatIsFreeAndOfUse) {
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_free{pool=\"default\"} 2"));
  EXPECT_THAT(Text(), Not(HasSubstr("gpus_stranded{"))) << "nobody is here to measure it by";
  RunJob();
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_free{pool=\"default\"} 1"));
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_stranded{pool=\"default\"} 0\n"))
      << "another one like it could run";
  JobSpec pair;
  pair.program.command = {"train"};
  pair.resources.gpus.count = 2;
  Do(SubmitJob{std::make_shared<const JobSpec>(pair), {"ana", 1, 1}});
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_stranded{pool=\"default\"} 0.666\n"))
      << "two thirds of what is asked for come in pairs";
  EXPECT_THAT(
      Text(),
      HasSubstr("gpu_platform_queue_gpus_stranded{pool=\"default\",queue=\"default\"} 0.666\n"));
}

TEST_F(Faults, NothingHasHappened) {
  EXPECT_THAT(
      Text(),
      HasSubstr(
          "gpu_platform_gpus{pool=\"default\",condition=\"AVAILABLE\",draining=\"false\"} 2"));
  EXPECT_THAT(Text(), HasSubstr("# TYPE gpu_platform_fault_reports_total counter"));
  EXPECT_THAT(Text(), Not(HasSubstr("gpu_platform_fault_reports_total{")));
  EXPECT_THAT(Text(), Not(HasSubstr("out_of_service_since_timestamp_seconds{")));
}

TEST_F(Faults, AreCountedWithWhatWasDoneAndWhen) {
  RunJob();
  cluster_.Advance(Duration::Seconds(100));
  Xid(95);
  Xid(13);
  const std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("gpu_platform_fault_reports_total{node=\"n1\",gpu=\"0\",xid=\"95\"} 1"));
  EXPECT_THAT(text,
              HasSubstr("gpu_platform_fault_reports_total{node=\"n1\",gpu=\"0\",xid=\"13\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_job_interruptions_total{cause=\"fault\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_incidents_opened_total{cause=\"XID 95\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_lost_gpu_seconds_total{cause=\"XID 95\"} 100"));
  EXPECT_THAT(text,
              HasSubstr("gpu_platform_incidents_open{state=\"OPEN\",needs_person=\"false\"} 1"));
  EXPECT_THAT(text, HasSubstr("condition=\"QUARANTINED\",draining=\"false\"} 1"));
  // To the second as the incident and the GPU have it.
  const Incident& incident = cluster_.state().faults.incidents.begin()->second;
  const std::string seconds = std::to_string(incident.opened_at.ns / 1'000'000'000);
  EXPECT_EQ(incident.opened_at, cluster_.state().nodes.all[0].gpus[0].changed_at);
  EXPECT_THAT(text, HasSubstr("gpu_platform_incident_opened_timestamp_seconds{incident=\"" +
                              ToText(incident.id) + "\",cause=\"XID 95\",node=\"n1\",gpu=\"0\"} " +
                              seconds));
  EXPECT_THAT(text, HasSubstr(",condition=\"QUARANTINED\"} " + seconds));
}

TEST_F(Faults, WhatIsOverIsCountedAndNotListed) {
  RunJob();
  Xid(95);
  Do(ReportOf(cluster_.state(), cluster_.now(),
              cluster_.state().jobs.all.begin()->second.leases.front(), LeaseEnd::kStopped));
  Do(ChangeIncident{{1}, IncidentState::kClosed, ""});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("gpu_platform_incidents_opened_total{cause=\"XID 95\"} 1"));
  EXPECT_THAT(text, Not(HasSubstr("gpu_platform_incidents_open{")));
  EXPECT_THAT(text, Not(HasSubstr("incident-1")));
  EXPECT_THAT(
      text,
      HasSubstr("gpu_platform_job_requeues_total{class=\"gpu-error\",charged_to=\"hardware\"} 1"));
}

TEST_F(Faults, EachGpuIsTold) {
  RunJob();
  const std::string before = Text();
  EXPECT_THAT(before, HasSubstr("gpu_platform_gpu_info{node=\"n1\",gpu=\"0\",uuid="));
  EXPECT_THAT(before, HasSubstr("gpu_platform_gpu_share_granted_ratio{node=\"n1\",gpu=\"0\"} 1\n"));
  EXPECT_THAT(before, HasSubstr("gpu_platform_gpu_share_granted_ratio{node=\"n1\",gpu=\"1\"} 0\n"));
  EXPECT_THAT(before, Not(HasSubstr("temperature"))) << "nothing was read";
  v1::GpuReadings seen;
  seen.set_temperature_celsius(61);
  seen.set_utilization_percent(97);
  seen.set_memory_used_bytes(3 << 20);
  seen.set_row_remap_pending(true);
  seen.add_throttle_reasons("sw_power_cap");
  const std::string after = Text("", {seen});
  EXPECT_THAT(after, HasSubstr("gpu_platform_gpu_temperature_celsius{node=\"n1\",gpu=\"0\"} 61\n"));
  EXPECT_THAT(after, HasSubstr("gpu_platform_gpu_busy_ratio{node=\"n1\",gpu=\"0\"} 0.97\n"));
  EXPECT_THAT(after,
              HasSubstr("gpu_platform_gpu_row_remap{node=\"n1\",gpu=\"0\",state=\"pending\"} 1\n"));
  EXPECT_THAT(
      after,
      HasSubstr("gpu_platform_gpu_throttled{node=\"n1\",gpu=\"0\",reason=\"sw_power_cap\"} 1\n"));
  EXPECT_THAT(after, Not(HasSubstr("power_watts"))) << "unknown is absent, and never 0";
  EXPECT_THAT(after, Not(HasSubstr("temperature_celsius{node=\"n1\",gpu=\"1\"")));
}

TEST_F(Faults, ByTheNamesOfTheExporterThatOthersUse) {
  RunJob();
  Xid(31);
  v1::GpuReadings seen;
  seen.set_temperature_celsius(61);
  seen.set_memory_used_bytes(3 << 20);
  const std::string text = Text("dcgm", {seen, seen});
  EXPECT_THAT(text,
              testing::ContainsRegex("DCGM_FI_DEV_GPU_TEMP\\{gpu=\"0\",UUID=\"[^\"]+\",pci_bus_id="
                                     "\"[^\"]*\",device=\"nvidia0\",modelName=\"[^\"]+\",Hostname="
                                     "\"n1\",DCGM_FI_DRIVER_VERSION=\"[^\"]*\"\\} 61\n"));
  EXPECT_THAT(text, testing::ContainsRegex("DCGM_FI_DEV_FB_USED\\{[^}]*\\} 3\n"));
  EXPECT_THAT(text, testing::ContainsRegex("DCGM_FI_DEV_XID_ERRORS\\{gpu=\"0\"[^}]*\\} 31\n"));
  EXPECT_THAT(text, testing::ContainsRegex("DCGM_FI_DEV_XID_ERRORS\\{gpu=\"1\"[^}]*\\} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("gpu_platform_")));
  EXPECT_EQ(MetricsText(
                {}, [](NodeId) { return std::map<std::string, v1::GpuReadings>(); }, "cloud")
                .error()
                .code,
            ErrorCode::kInvalidArgument);
}

TEST_F(Faults, WhatGpusAreUsedForAndBudgets) {
  SetBudget budget;
  budget.key = {"default", kEachUser, ""};
  budget.gpu_hours = 4;
  Do(budget);
  RunJob();
  cluster_.Advance(Duration::Minutes(60));
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("gpu_platform_gpus_by_use{pool=\"default\",kind=\"jobs\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_gpus_by_use{pool=\"default\",kind=\"idle\"} 1\n"));
  EXPECT_THAT(
      text,
      HasSubstr("gpu_platform_budget_used_ratio{queue=\"default\",user=\"*\",pool=\"\"} 0.25\n"));
}

TEST(StandbyGauges, TellWhoCouldTakeOver) {
  const std::string text = ToText(StandbyGauges({.term = 12, .standbys = {{"c2", 0}, {"c3", 40}}}));
  EXPECT_THAT(text, HasSubstr("gpu_platform_controller_term 12\n"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_standbys 2\n"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_standby_behind_records{controller=\"c3\"} 40\n"));
  EXPECT_THAT(ToText(StandbyGauges({.term = 1, .standbys = {}})),
              HasSubstr("gpu_platform_standbys 0\n"));
}

TEST_F(Faults, QueuesAreTold) {
  RunJob();
  for (int i = 0; i < 3; ++i) {
    JobSpec spec;
    spec.program.command = {"train"};
    spec.resources.gpus.count = 2;
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
  }
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("gpu_platform_queue_jobs_waiting{queue=\"default\"} 3\n"));
  EXPECT_THAT(text,
              HasSubstr("gpu_platform_queue_jobs_running{queue=\"default\",pool=\"default\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("gpu_platform_queue_gpus_held{queue=\"default\",pool=\"default\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("gpu_platform_queue_gpus_limit{")));
  EXPECT_THAT(text, HasSubstr("gpu_platform_oldest_waiting_job_queued_timestamp_seconds "));
}

}  // namespace
}  // namespace gp
