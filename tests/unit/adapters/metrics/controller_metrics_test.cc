#include "adapters/inbound/metrics/controller_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/cluster/report_of.h"
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
    metrics_.OnCommit(cluster_.state(), *events);
  }
  void RunJob() {
    JobSpec spec;
    spec.command = {"train"};
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    metrics_.OnCommit(cluster_.state(), cluster_.Pass());
    const JobId job{cluster_.state().last_job};
    Do(ReportOf(cluster_.state(), cluster_.now(), cluster_.state().FindJob(job)->leases.front(), std::nullopt));
  }
  void Xid(int xid) {
    FaultSignal signal;
    signal.number = ++signals_;
    signal.xid = xid;
    Do(ReportGpus{{0}, 1, {signal}, {}});
  }
  std::string Text() const { return metrics_.Text(cluster_.state()); }

  TestCluster cluster_;
  ControllerMetrics metrics_;
  uint64_t signals_ = 0;
};

TEST_F(Faults, WhatIsFreeAndOfUse) {
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_free{pool=\"default\"} 2"));
  EXPECT_THAT(Text(), Not(HasSubstr("gpus_stranded{"))) << "nobody is here to measure it by";
  RunJob();
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_free{pool=\"default\"} 1"));
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_stranded{pool=\"default\"} 0\n")) << "another one like it could run";
  JobSpec pair;
  pair.command = {"train"};
  pair.gpus.count = 2;
  Do(SubmitJob{std::make_shared<const JobSpec>(pair), {"ana", 1, 1}});
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus_stranded{pool=\"default\"} 0.666\n")) << "two thirds of what is asked for come in pairs";
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_queue_gpus_stranded{pool=\"default\",queue=\"default\"} 0.666\n"));
}

TEST_F(Faults, NothingHasHappened) {
  EXPECT_THAT(Text(), HasSubstr("gpu_platform_gpus{pool=\"default\",condition=\"AVAILABLE\",draining=\"false\"} 2"));
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
  EXPECT_THAT(text, HasSubstr("gpu_platform_fault_reports_total{node=\"n1\",gpu=\"0\",xid=\"95\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_fault_reports_total{node=\"n1\",gpu=\"0\",xid=\"13\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_job_interruptions_total{cause=\"fault\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_incidents_opened_total{cause=\"XID 95\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_lost_gpu_seconds_total{cause=\"XID 95\"} 100"));
  EXPECT_THAT(text, HasSubstr("gpu_platform_incidents_open{state=\"OPEN\",needs_person=\"false\"} 1"));
  EXPECT_THAT(text, HasSubstr("condition=\"QUARANTINED\",draining=\"false\"} 1"));
  // To the second as the incident and the GPU have it.
  const Incident& incident = cluster_.state().incidents.begin()->second;
  const std::string seconds = std::to_string(incident.opened_at.ns / 1'000'000'000);
  EXPECT_EQ(incident.opened_at, cluster_.state().nodes[0].gpus[0].changed_at);
  EXPECT_THAT(text, HasSubstr("gpu_platform_incident_opened_timestamp_seconds{incident=\"" + ToText(incident.id) + "\",cause=\"XID 95\",node=\"n1\",gpu=\"0\"} " + seconds));
  EXPECT_THAT(text, HasSubstr(",condition=\"QUARANTINED\"} " + seconds));
}

TEST_F(Faults, WhatIsOverIsCountedAndNotListed) {
  RunJob();
  Xid(95);
  Do(ReportOf(cluster_.state(), cluster_.now(), cluster_.state().jobs.begin()->second.leases.front(), LeaseEnd::kStopped));
  Do(ChangeIncident{{1}, IncidentState::kClosed, ""});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("gpu_platform_incidents_opened_total{cause=\"XID 95\"} 1"));
  EXPECT_THAT(text, Not(HasSubstr("gpu_platform_incidents_open{")));
  EXPECT_THAT(text, Not(HasSubstr("incident-0001")));
  EXPECT_THAT(text, HasSubstr("gpu_platform_job_requeues_total{class=\"gpu-error\",charged_to=\"hardware\"} 1"));
}

}  // namespace
}  // namespace gp
