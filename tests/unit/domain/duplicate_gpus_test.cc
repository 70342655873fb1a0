// Journals of format 16 may have one UUID in two nodes: a host was renamed, or a card was moved.

#include <gtest/gtest.h>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/codec/codec.h"
#include "domain/cluster/decide/decide.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class DuplicateGpus : public testing::Test {
 protected:
  // As today's rules would not decide it.
  void Join(const std::string& name, const std::vector<std::string>& uuids) {
    const auto known = state_.nodes.by_name.find(name);
    const NodeId id = known == state_.nodes.by_name.end()
                          ? NodeId{static_cast<uint32_t>(state_.nodes.all.size())}
                          : known->second;
    Apply(state_, now_, NodeJoined{id, FactsOf(name, uuids), ++incarnation_});
  }
  static std::shared_ptr<const NodeFacts> FactsOf(const std::string& name,
                                                  const std::vector<std::string>& uuids) {
    NodeFacts facts = TestCluster::MakeFacts(name, std::vector<int>(uuids.size(), 0));
    for (size_t i = 0; i < uuids.size(); ++i) facts.gpus[i].uuid = uuids[i];
    return std::make_shared<const NodeFacts>(std::move(facts));
  }
  void Lose(const std::string& name) {
    Apply(state_, now_, NodeLost{state_.nodes.by_name.at(name)});
  }
  // What today's rules say to a join; empty: it is refused.
  std::vector<Event> DecideAndApply(std::shared_ptr<const NodeFacts> facts) {
    JoinNode join;
    join.facts = std::move(facts);
    join.incarnation = ++incarnation_;
    join.lineage = state_.lineage;
    const auto events = Decide(state_, {now_, "node", "", join});
    if (!events) return {};
    for (const Event& event : *events) Apply(state_, now_, event);
    return *events;
  }
  void ExpectSound() const {
    for (const Violation& violation : CheckInvariants(state_))
      ADD_FAILURE() << violation.rule << " " << violation.detail;
    const auto decoded = DecodeState(EncodeState(state_));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->nodes.gpus_by_uuid, state_.nodes.gpus_by_uuid);
  }

  State state_;
  Instant now_{1'000'000'000};
  uint64_t incarnation_ = 0;
};

TEST_F(DuplicateGpus, AreReadWhicheverNodeForgetsThemFirst) {
  Join("a", {"g0", "g1"});
  Join("b", {"h0", "g1"});
  ExpectSound();
  Join("a", {"g0"});
  ExpectSound();
}

TEST_F(DuplicateGpus, OfALostNodeAreRetiredAndChangeNothingWhereTheyAre) {
  Join("a", {"g0", "g1"});
  Lose("a");
  Apply(state_, now_, GpuDrainChanged{NodeId{0}, 0, true, "old fan"});
  Join("b", {"g0", "g1"});
  const std::vector<Event> events = DecideAndApply(FactsOf("b", {"g0", "g1"}));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<NodeJoined>(events[0]));
  EXPECT_TRUE(std::holds_alternative<GpuRetired>(events[1]));
  EXPECT_FALSE(state_.nodes.all[1].gpus[0].draining);
  EXPECT_TRUE(IsRetired(*state_.nodes.all[0].facts, 0));
  ExpectSound();
}

TEST_F(DuplicateGpus, OfALostNodeMoveToANewOneAndAreTestedThere) {
  Join("a", {"g0", "g1"});
  Lose("a");
  const std::vector<Event> events = DecideAndApply(FactsOf("renamed", {"g0", "h1"}));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<GpuMoved>(events[1]));
  const auto* test = std::get_if<GpuRemedyChanged>(&events[2]);
  ASSERT_NE(test, nullptr);
  EXPECT_EQ(test->node, state_.nodes.by_name.at("renamed"));
  EXPECT_EQ(test->gpu, 0) << "not the one that is new with its node";
  EXPECT_EQ(test->remedy, GpuRemedy::kTest);
  ExpectSound();
}

TEST_F(DuplicateGpus, OfANodeThatAnswersKeepTheOtherOut) {
  Join("a", {"g0"});
  Join("b", {"g0"});
  const std::vector<Event> events = DecideAndApply(FactsOf("a", {"g0"}));
  ASSERT_EQ(events.size(), 1u) << "an incident, and no join";
  EXPECT_TRUE(std::holds_alternative<IncidentOpened>(events[0]));
  EXPECT_TRUE(DecideAndApply(FactsOf("a", {"g0"})).empty()) << "refused";
  Lose("b");
  EXPECT_FALSE(DecideAndApply(FactsOf("a", {"g0"})).empty());
  ExpectSound();
}

}  // namespace
}  // namespace gp
