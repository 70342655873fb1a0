// A user's request is answered once: a repeat changes nothing.

#include "domain/cluster/state/requests.h"

#include <algorithm>

#include "domain/cluster/audit.h"
#include "domain/cluster/decide/decide.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

SetQueue Weight(int weight) {
  SetQueue command{.name = "nlp"};
  command.weight = weight;
  return command;
}

class Requests : public ClusterFixture {
 protected:
  void SetUp() override { Do(Weight(1)); }
  int WeightNow() { return cluster_.state().queues.all.at("nlp").weight; }
};

TEST_F(Requests, ARepeatChangesNothing) {
  EXPECT_EQ(Do(Weight(2), {"r1", 7}).size(), 2U);
  EXPECT_EQ(Do(Weight(3), {"r2", 8}).size(), 2U);
  EXPECT_TRUE(Do(Weight(2), {"r1", 7}).empty());
  EXPECT_EQ(WeightNow(), 3);
}

TEST_F(Requests, AlsoIfTheFirstChangedNothing) {
  const GrantRole grant{"ana", "", Role::kOperator};
  Do(grant);
  EXPECT_EQ(Do(grant, {"r1", 7}).size(), 1U) << "it is remembered";
  Do(GrantRole{"ana", "", std::nullopt});
  EXPECT_TRUE(Do(grant, {"r1", 7}).empty());
  EXPECT_TRUE(cluster_.state().access.roles.empty());
}

TEST_F(Requests, AnIdIsOfOneRequest) {
  Do(Weight(2), {"r1", 7});
  EXPECT_EQ(Refusal(Weight(3), {"r1", 8}), "conflict: request id: was used for another request");
  EXPECT_EQ(WeightNow(), 2);
}

TEST_F(Requests, ARefusedRequestMayBeRepeated) {
  Do(DeleteQueue{"nlp"});
  EXPECT_EQ(Refusal(DeleteQueue{"nlp"}, {"r1", 7}).substr(0, 9), "not-found");
  Do(Weight(2));
  EXPECT_FALSE(Do(DeleteQueue{"nlp"}, {"r1", 7}).empty());
}

TEST_F(Requests, OthersMayHaveTheSameId) {
  const State& state = cluster_.state();
  Do(Weight(2), {"r1", 7});
  const Instant now = cluster_.now();
  EXPECT_TRUE(*IsRepeated(state, now, "test", {"r1", 7}));
  EXPECT_FALSE(*IsRepeated(state, now, "user:ana", {"r1", 7}));
  EXPECT_FALSE(*IsRepeated(state, now, "test", {"r2", 7}));
  EXPECT_FALSE(*IsRepeated(state, now, "test", {}));
  EXPECT_NE(AnsweredKey("user:a/b", "c"), AnsweredKey("user:a", "b/c"));
}

TEST_F(Requests, AreForgottenAfterADay) {
  Do(Weight(2), {"r1", 7});
  cluster_.Advance(kRequestsKept);
  Do(Weight(3), {"r2", 8});
  EXPECT_TRUE(Do(Weight(2), {"r1", 7}).empty()) << "a day is not over yet";
  cluster_.Advance(Duration{1});
  Do(Weight(4), {"r3", 9});
  EXPECT_EQ(cluster_.state().requests.answered.size(), 2U);
  EXPECT_FALSE(Do(Weight(2), {"r1", 7}).empty());
}

TEST_F(Requests, CountADayLaterAlsoIfNothingElseHappened) {
  Do(Weight(2), {"nightly", 7});
  cluster_.Advance(kRequestsKept + Duration{1});
  EXPECT_EQ(Do(Weight(3), {"nightly", 8}).size(), 2U);
  EXPECT_EQ(WeightNow(), 3);
  EXPECT_TRUE(Do(Weight(3), {"nightly", 8}).empty());
  EXPECT_EQ(cluster_.state().requests.by_time.size(), 1U);
}

TEST_F(Requests, SeveralCommandsAreRememberedByTheLast) {
  Do(Weight(2));
  EXPECT_EQ(Do(RememberRequest{}, {"r1", 7}).size(), 1U);
  EXPECT_TRUE(Do(Weight(3), {"r1", 7}).empty());
  EXPECT_TRUE(Do(RememberRequest{}).empty());
}

TEST(AnsweredRequests, DoNotGrowWithoutLimit) {
  RequestStore requests;
  for (size_t i = 0; i < kRequestsMax + 5; ++i)
    requests.Remember(std::to_string(i), {i, Instant{static_cast<int64_t>(i) + 1}});
  EXPECT_EQ(requests.answered.size(), kRequestsMax);
  EXPECT_EQ(requests.by_time.size(), kRequestsMax);
  EXPECT_EQ(requests.Find("4", {1}), nullptr) << "the oldest are forgotten";
  ASSERT_NE(requests.Find("5", {1}), nullptr);
  EXPECT_EQ(requests.Find("5", {1})->digest, 5U);
}

TEST_F(Requests, AreAuditedOnlyIfTheyChangeSomething) {
  const auto is_audited = [&](const Command& command, const std::string& id) {
    const Envelope envelope{cluster_.now(), "user:ana", {id, 7}, command};
    return IsAudited({envelope, *Decide(cluster_.state(), envelope)});
  };
  const GrantRole grant{"ana", "", Role::kOperator};
  EXPECT_TRUE(is_audited(grant, "r1"));
  Do(grant);
  EXPECT_FALSE(is_audited(grant, "r1"));
}

}  // namespace
}  // namespace gp
