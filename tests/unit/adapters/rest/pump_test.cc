#include "adapters/inbound/rest/pump.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>

namespace gp {
namespace {

// All that it gives until it is over.
std::string Drain(HttpStream& stream) {
  std::string all;
  while (const auto piece = stream.Take()) all += *piece;
  return all;
}

PumpedStream StreamOf(std::shared_ptr<Pump> pump, Status may_go_on = Ok()) {
  return {std::move(pump), "beat", [may_go_on] { return may_go_on; }};
}

TEST(Pump, BringsAllInOrder) {
  Pumps pumps;
  const auto make = [](Pump& to) -> Status {
    for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(to.Write(std::to_string(i) + "\n"));
    return Ok();
  };
  PumpedStream stream = StreamOf(pumps.Start("ana", make).value());
  std::string expected;
  for (int i = 0; i < 1'000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(Drain(stream), expected);
  EXPECT_EQ(stream.Failure(), std::nullopt);
  EXPECT_EQ(stream.Heartbeat(), "beat");
}

TEST(Pump, WaitsForASlowReader) {
  Pumps pumps;
  std::atomic<int> written = 0;
  const auto make = [&](Pump& to) -> Status {
    while (written < 100 && to.Write(std::string(64 << 10, 'x'))) ++written;
    return Ok();
  };
  PumpedStream stream = StreamOf(pumps.Start("ana", make).value());
  while (written < 4) std::this_thread::yield();
  EXPECT_LE(written, 5);  // of 256 KiB
  EXPECT_EQ(Drain(stream).size(), 100u * (64 << 10));
}

TEST(Pump, TellsWhenThereIsNewsAndWhenItIsOver) {
  Pumps pumps;
  std::promise<void> go;
  std::promise<void> told;
  const auto make = [&](Pump& to) -> Status {
    go.get_future().wait();
    (void)to.Write("a");
    return Ok();
  };
  PumpedStream stream = StreamOf(pumps.Start("ana", make).value());
  EXPECT_FALSE(stream.HasBegun());
  EXPECT_EQ(stream.Take(), "");
  std::atomic<int> times = 0;
  stream.OnNews([&] {
    if (++times == 2) told.set_value();
  });
  go.set_value();
  told.get_future().wait();
  EXPECT_TRUE(stream.HasBegun());
  EXPECT_EQ(stream.Take(), "a");
  EXPECT_EQ(stream.Take(), std::nullopt);
}

TEST(Pump, MayBeginBeforeThereIsAnything) {
  Pump pump;
  EXPECT_FALSE(pump.HasBegun());
  pump.Begin();
  EXPECT_TRUE(pump.HasBegun());
  EXPECT_EQ(pump.Take(), "");
}

TEST(Pump, SaysWhatCutItShort) {
  Pumps pumps;
  PumpedStream refused = StreamOf(
      pumps.Start("ana", [](Pump&) -> Status { return Fail(NotFound("no such job")); }).value());
  EXPECT_EQ(Drain(refused), "");
  EXPECT_EQ(refused.Failure(), NotFound("no such job"));
  PumpedStream cut = StreamOf(pumps
                                  .Start("ana",
                                         [](Pump& to) -> Status {
                                           (void)to.Write("part");
                                           throw std::runtime_error("a mistake");
                                         })
                                  .value());
  EXPECT_EQ(Drain(cut), "part");
  EXPECT_EQ(cut.Failure(), Internal("a mistake"));
}

TEST(Pump, EndsWhenNobodyReads) {
  Pumps pumps(1);
  const auto forever = [](Pump& to) -> Status {
    while (to.Write("x")) {
    }
    EXPECT_TRUE(to.IsGone());
    return Ok();
  };
  {
    PumpedStream stream = StreamOf(pumps.Start("ana", forever).value());
    // One is as many as may be
    EXPECT_EQ(pumps.Start("ana", forever).error().code, ErrorCode::kUnavailable);
  }
  auto next = pumps.Start("ana", forever);
  while (!next) next = pumps.Start("ana", forever);
  PumpedStream over = StreamOf(*next, Fail(Unauthenticated("the token is over")));
  EXPECT_EQ(over.Heartbeat(), "");
  EXPECT_EQ(over.Take(), std::nullopt);
  EXPECT_EQ(over.Failure(), Unauthenticated("the token is over"));  // a part is not the whole
}

TEST(Pump, OneUserDoesNotTakeAll) {
  Pumps pumps(4, 2);
  const auto forever = [](Pump& to) -> Status {
    while (to.Write("x")) {
    }
    return Ok();
  };
  ASSERT_TRUE(pumps.Start("ana", forever));
  ASSERT_TRUE(pumps.Start("ana", forever));
  EXPECT_EQ(pumps.Start("ana", forever).error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(pumps.Start("eva", forever));
  ASSERT_TRUE(pumps.Start("eva", forever));
  EXPECT_EQ(pumps.Start("ida", forever).error().code, ErrorCode::kUnavailable);
}

TEST(Pump, AllEndWithTheirOwner) {
  std::atomic<int> ended = 0;
  {
    Pumps pumps;
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(pumps.Start("ana", [&](Pump& to) -> Status {
        while (to.Write(std::string(1 << 20, 'x'))) {
        }
        ++ended;
        return Ok();
      }));
    }
  }
  EXPECT_EQ(ended, 20);
}

}  // namespace
}  // namespace gp
