#include "domain/cluster/codec/in_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/cluster/codec/codec.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using testing::HasSubstr;

constexpr uint64_t kOlder = 20;  // knows no formats in the state

Envelope By(const char* principal, Command command) {
  return {Instant{7}, principal, "", std::move(command)};
}

TEST(InFormat, AnOlderFormatLeavesOutWhatCameLater) {
  const Record record{By("controller", StartController{.lineage = 5, .format = 21}),
                      {ControllerStarted{.lineage = 5, .format = 21}}};
  const std::string bytes = EncodeRecord(record, kOlder);
  EXPECT_TRUE(CheckFormat(bytes, {16, kOlder})) << "a program of before reads it";
  const auto decoded = DecodeRecord(bytes, {16, kOlder});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<StartController>(decoded->envelope.command).lineage, 5U);
  EXPECT_EQ(std::get<StartController>(decoded->envelope.command).format, 0U);
  EXPECT_EQ(std::get<ControllerStarted>(decoded->events[0]).format, 0U);
  EXPECT_EQ(EncodeRecord(*decoded, kOlder), bytes);
}

TEST(InFormat, AnewerFormatIsRefusedByItsNumber) {
  const std::string bytes = EncodeRecord({By("controller", Tick{}), {}}, 22);
  const Status refused = CheckFormat(bytes, {16, 21});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeRecord(bytes).error(), refused.error());
  EXPECT_TRUE(DecodeRecord(bytes, {16, 22})) << "a program that has it reads it";
  EXPECT_FALSE(DecodeRecord(bytes, {23, 24})) << "a program that no longer has it does not";
}

TEST(InFormat, ACommandThatCameLaterIsRefusedWhoeverSendsIt) {
  for (const bool may_lose : {false, true}) {
    const auto refused = InFormat(kOlder, By("user:ana", RaiseFormat{22}), may_lose);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
    EXPECT_THAT(refused.error().message, HasSubstr("newer journal format than 20"));
  }
  EXPECT_TRUE(InFormat(21, By("user:ana", RaiseFormat{22}), false));
}

TEST(InFormat, WhatUsersAskForIsTakenAsAWholeOrRefused) {
  const StartController start{.lineage = 5, .format = 21};
  EXPECT_FALSE(InFormat(kOlder, By("user:ana", start), /*may_lose=*/false));
  const auto part = InFormat(kOlder, By("node:n1", start), /*may_lose=*/true);
  ASSERT_TRUE(part);
  EXPECT_EQ(std::get<StartController>(part->command).lineage, 5U);
  EXPECT_EQ(std::get<StartController>(part->command).format, 0U);
  EXPECT_EQ(part->origin.principal, "node:n1");
  EXPECT_EQ(part->at, Instant{7});
  // Nothing that is not the default is new here.
  EXPECT_TRUE(InFormat(kOlder, By("user:ana", StartController{.lineage = 5}), false));
}

TEST(InFormat, EventsAreThereAsAWholeOrNotAtAll) {
  EXPECT_TRUE(CheckInFormat(kOlder, {ControllerStarted{.lineage = 5}, JobHeld{JobId{1}}}));
  EXPECT_FALSE(CheckInFormat(kOlder, {ControllerStarted{.format = 21}}));
  EXPECT_FALSE(CheckInFormat(kOlder, {JobHeld{JobId{1}}, FormatRaised{21}}));
  EXPECT_TRUE(CheckInFormat(21, {FormatRaised{22}}));
}

TEST(InFormat, AFormatOfWhichNothingIsKnownHasNothing) {
  EXPECT_FALSE(InFormat(15, By("node:n1", Tick{}), true));
  EXPECT_FALSE(CheckInFormat(15, {JobHeld{JobId{1}}}));
}

TEST(InFormat, SnapshotsHaveTheFormatOfTheRecords) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0}));
  State state = *DecodeState(EncodeState(cluster.state()));
  const uint64_t before = StateDigest(state, kOlder);
  state.format = 21;
  EXPECT_EQ(StateDigest(state, kOlder), before) << "what the format does not have is left out";
  EXPECT_NE(StateDigest(state), before);
  const std::string older = EncodeState(state, kOlder);
  ASSERT_TRUE(DecodeState(older, {16, kOlder}));
  EXPECT_EQ(DecodeState(older)->format, 0U);
  EXPECT_EQ(DecodeState(EncodeState(state))->format, 21U);
  EXPECT_EQ(DecodeState(EncodeState(state), {16, kOlder}).error().code, ErrorCode::kUnsupported);
}

TEST(InFormat, RecordsAreWrittenInTheAgreedFormat) {
  EXPECT_EQ(WrittenFormat(0, {16, 21}), 21U);
  EXPECT_EQ(WrittenFormat(20, {16, 21}), 20U);
}

TEST(RaiseFormat, NeverLowersIt) {
  TestCluster cluster;
  ASSERT_TRUE(cluster.Execute(StartController{.policy = TestPolicy(), .format = 21}));
  EXPECT_EQ(cluster.state().format, 21U);
  for (const uint64_t format : {20U, 21U}) {
    const auto refused = cluster.Execute(RaiseFormat{format});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  }
  ASSERT_TRUE(cluster.Execute(RaiseFormat{22}));
  EXPECT_EQ(cluster.state().format, 22U);
  ASSERT_TRUE(cluster.Execute(StartController{.policy = TestPolicy()}));
  EXPECT_EQ(cluster.state().format, 22U) << "a start that says nothing changes nothing";
  EXPECT_TRUE(cluster.ReplayAgrees());
  EXPECT_TRUE(cluster.broken().empty());
}

}  // namespace
}  // namespace gp
