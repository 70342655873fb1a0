#include "adapters/wire/views/incident_view.h"

#include <gtest/gtest.h>

#include <string>

#include "adapters/wire/views/cluster_view.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int kFailed = 9;
const IncidentId kBreaker{kFailed + 1};

// Three nodes, each with three GPUs that failed at once: incidents 1 to 9, then the breaker's.
class IncidentViews : public testing::Test {
 protected:
  IncidentViews() {
    for (int i = 0; i < kFailed; ++i) FailGpu(i / 3, i % 3);
    EXPECT_TRUE(cluster_.Execute(Tick{}));
  }

  void FailGpu(int node, int gpu) {
    const std::string name = "n" + std::to_string(node);
    if (gpu == 0) cluster_.AddNode(TestCluster::MakeFacts(name, {0, 0, 1, 1}));
    const NodeId id = cluster_.state().nodes.by_name.at(name);
    FaultSignal signal;
    signal.number = ++signals_;
    signal.gpu = gpu;
    signal.xid = 119;
    signal.is_fatal = true;
    signal.at = cluster_.now();
    const uint64_t incarnation = cluster_.state().FindNode(id)->incarnation;
    EXPECT_TRUE(cluster_.Execute(ReportGpus{id, incarnation, {signal}, {}}));
  }

  std::string HeldByOf(IncidentId id) const {
    v1::Incident message;
    IncidentView(cluster_.state(), cluster_.state().faults.incidents.at(id), &message);
    return message.held_by();
  }
  void Change(IncidentId id, IncidentState to) {
    EXPECT_TRUE(cluster_.Execute(ChangeIncident{id, to, ""}));
  }

  TestCluster cluster_;
  uint64_t signals_ = 0;
};

TEST_F(IncidentViews, WhatABreakerHoldsBackNamesItsIncident) {
  ASSERT_EQ(cluster_.state().faults.breakers.at(kDefaultPool), kBreaker);
  for (uint64_t i = 1; i <= kFailed; ++i) EXPECT_EQ(HeldByOf({i}), ToText(kBreaker)) << i;
  EXPECT_EQ(HeldByOf(kBreaker), "") << "it waits for a person";
  Change(kBreaker, IncidentState::kAcknowledged);
  EXPECT_EQ(HeldByOf({1}), ToText(kBreaker));
}

TEST_F(IncidentViews, TheClusterCountsThoseThatAnOperatorMustEnd) {
  const auto count = [this] {
    v1::Cluster message;
    ClusterView(cluster_.state(), cluster_.now(), true, &message);
    return message.incidents_for_operators();
  };
  EXPECT_EQ(count(), 1) << "the breaker's; the others will be repaired when it is closed";
  Change(kBreaker, IncidentState::kAcknowledged);
  EXPECT_EQ(count(), 1);
  Change(kBreaker, IncidentState::kClosed);
  EXPECT_EQ(count(), 0);
}

TEST_F(IncidentViews, NothingIsHeldOnceTheBreakersIncidentIsClosed) {
  Change(kBreaker, IncidentState::kClosed);
  for (uint64_t i = 1; i <= kFailed; ++i) EXPECT_EQ(HeldByOf({i}), "") << i;
}

TEST_F(IncidentViews, AnIncidentThatIsOverIsHeldByNobody) {
  Change({1}, IncidentState::kClosed);
  EXPECT_EQ(HeldByOf({1}), "") << "though its GPU still waits";
  EXPECT_EQ(HeldByOf({2}), ToText(kBreaker));
}

}  // namespace
}  // namespace gp
