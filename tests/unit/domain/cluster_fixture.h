#pragma once

// A cluster with short ways for tests to submit, run and end jobs, and to read refusals as text.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/nodes/report_of.h"
#include "tests/support/test_cluster.h"

namespace gp {

// A job with a grace of 30 s: 40 s after its limit it has left.
inline Job JobOfAna(Duration limit, const std::string& reservation = "", JobId id = {1}) {
  JobSpec spec;
  spec.policy.time_limit = limit;
  spec.placement.reservation = reservation;
  Job job;
  job.id = id;
  job.user.name = "ana";
  job.spec = std::make_shared<const JobSpec>(spec);
  return job;
}

// Checks at the end that no invariant was broken, and that a replay gives the same state.
class ClusterFixture : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& broken : cluster_.broken()) ADD_FAILURE() << broken;
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  NodeId AddNode(const std::string& name, const std::vector<int>& numa = {0, 0, 0, 0, 1, 1, 1, 1}) {
    return cluster_.AddNode(TestCluster::MakeFacts(name, numa));
  }

  // The events of a command that must be accepted.
  std::vector<Event> Do(const Command& command, const ClientRequest& request = {}) {
    const auto events = cluster_.Execute(command, request);
    if (events) return *events;
    ADD_FAILURE() << events.error().message;
    return {};
  }
  // "conflict: …"; empty: the command was accepted, and is done.
  std::string Refusal(const Command& command, const ClientRequest& request = {}) {
    const auto events = cluster_.Execute(command, request);
    if (events) return "";
    return std::string(ErrorCodeName(events.error().code)) + ": " + events.error().message;
  }

  static JobSpec SpecOf(int gpus, const std::function<void(JobSpec&)>& edit = {}) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    if (edit) edit(spec);
    return spec;
  }
  JobId Submit(const JobSpec& spec, const std::string& user = "ana") {
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {user, UidOf(user), 1}});
    return {cluster_.state().jobs.last};
  }
  std::string SubmitRefusal(const JobSpec& spec, const std::string& user = "ana") {
    return Refusal(SubmitJob{std::make_shared<const JobSpec>(spec), {user, UidOf(user), 1}});
  }
  // Submits, places and starts it.
  JobId Run(const JobSpec& spec, const std::string& user = "ana") {
    const JobId id = Submit(spec, user);
    cluster_.Pass();
    StartAll(id);
    return id;
  }
  // All its ranks are seen to run.
  void StartAll(JobId id) {
    for (const LeaseId lease : std::vector<LeaseId>(JobOf(id).leases))
      Do(ReportOf(cluster_.state(), cluster_.now(), lease, std::nullopt));
  }
  // All its ranks end like this, one after the other.
  void EndAll(JobId id, const LeaseOutcome& outcome = {}) {
    for (const LeaseId lease : std::vector<LeaseId>(JobOf(id).leases)) End(lease, outcome);
  }
  void End(LeaseId lease, const LeaseOutcome& outcome) {
    ReportNode report = ReportOf(cluster_.state(), cluster_.now(), lease, outcome.end);
    for (LeaseObservation& seen : report.leases) {
      if (seen.lease == lease) seen.outcome = outcome;
    }
    Do(report);
  }
  const Job& JobOf(JobId id) const { return *cluster_.state().FindJob(id); }
  std::string StateOf(JobId id) const { return Name(JobOf(id).state); }
  const Gpu& GpuOf(NodeId node, size_t gpu) const {
    return cluster_.state().FindNode(node)->gpus[gpu];
  }
  // A controller begins with this policy.
  void Begin(const std::function<void(Policy&)>& edit) {
    Policy policy = cluster_.state().policy;
    edit(policy);
    Do(StartController{policy});
  }

  TestCluster cluster_;

 private:
  static uint32_t UidOf(const std::string& user) { return static_cast<uint32_t>(user.front()); }
};

}  // namespace gp
