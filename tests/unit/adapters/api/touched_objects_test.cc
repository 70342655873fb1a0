#include "adapters/inbound/api/streams/touched_objects.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

std::string TextOf(std::span<const FeedObject> objects) {
  std::string text;
  for (const FeedObject& one : objects) {
    text += (text.empty() ? "" : ", ") + std::string(Name(one.kind)) + " " +
            (HasName(one.kind) ? one.name : std::to_string(one.id));
  }
  return text;
}

std::string TouchedBy(TouchedObjects& touched, const std::vector<Event>& record) {
  return TextOf(touched.Of(record));
}

GangPlaced Placed(uint64_t job, const std::vector<std::pair<uint64_t, uint32_t>>& leases) {
  GangPlaced placed{.job = {job}};
  for (const auto& [lease, node] : leases) {
    placed.leases.emplace_back();
    placed.leases.back().id = {lease};
    placed.leases.back().job = {job};
    placed.leases.back().node = {node};
  }
  return placed;
}

TEST(TouchedObjectsTest, AreOrderedAndEachOnce) {
  TouchedObjects touched;
  Incident incident;
  incident.id = {4};
  EXPECT_EQ(TouchedBy(touched, {QueueDeleted{"b"}, IncidentOpened{incident}, NodeLost{{2}},
                                JobHeld{{9}}, QueueDeleted{"a"}, JobHeld{{3}}, NodeLost{{2}},
                                IncidentNoted{{4}}, ReservationEnded{"c"}}),
            "job 3, job 9, node 2, queue a, queue b, reservation c, incident 4");
  EXPECT_EQ(TouchedBy(touched, {QueueChanged{{.name = "a"}}}), "queue a") << "nothing is left over";
}

TEST(TouchedObjectsTest, ARecordMayTouchNone) {
  TouchedObjects touched;
  EXPECT_EQ(TouchedBy(touched, {ControllerStarted{}, PolicyChanged{}, JobForgotten{{3}},
                                GpuRemedyChanged{.node = {1}, .incident = {0}}}),
            "node 1");
  EXPECT_EQ(TouchedBy(touched, {ControllerStarted{}, PolicyChanged{}, JobForgotten{{3}}}), "");
}

TEST(TouchedObjectsTest, ALeaseIsKnownByItsGang) {
  TouchedObjects touched;
  EXPECT_EQ(TouchedBy(touched, {Placed(3, {{11, 0}, {12, 1}})}), "job 3, node 0, node 1");
  EXPECT_EQ(TouchedBy(touched, {LeaseStarted{{12}}}), "job 3, node 1");
  EXPECT_EQ(TouchedBy(touched, {LeaseEnded{{11}, {3}}}), "job 3, node 0");
  EXPECT_EQ(TouchedBy(touched, {LeaseStarted{{12}}}), "job 3, node 1");
  EXPECT_EQ(TouchedBy(touched, {Placed(5, {{13, 2}}), LeaseStarted{{13}}, LeaseEnded{{13}, {5}}}),
            "job 5, node 2");
}

// It does not matter whether one has seen the gang's placement, or began with a later state.
TEST(TouchedObjectsTest, ALeaseIsKnownByTheStateFromWhichOneBegins) {
  TestCluster cluster;
  TouchedObjects from_the_first_record;
  const auto do_it = [&](const Command& command) { return *cluster.Execute(command); };
  const NodeId node = cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  JobSpec spec;
  spec.program.command = {"train"};
  do_it(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
  from_the_first_record.Of(cluster.Pass());
  TouchedObjects from_later;
  from_later.Begin(cluster.state());
  const LeaseId lease = cluster.state().FindJob({1})->leases.front();
  const std::string both = "job 1, node " + std::to_string(node.value);
  EXPECT_EQ(TouchedBy(from_the_first_record, {LeaseStarted{lease}}), both);
  EXPECT_EQ(TouchedBy(from_later, {LeaseStarted{lease}}), both);
}

}  // namespace
}  // namespace gp
