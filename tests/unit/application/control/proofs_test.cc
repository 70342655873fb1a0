// What a controller says without a record waits until it is proven that it leads.

#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Proves when the test says so.
class LateProofs : public Leadership {
 public:
  void WhenProven(std::function<void()> then) override { waiting.push_back(std::move(then)); }
  Status Await() override {
    ++awaited;
    return leads ? Ok() : Fail(Unavailable("another controller leads"));
  }
  void Prove() {
    for (const auto& then : std::exchange(waiting, {})) then();
  }

  std::vector<std::function<void()>> waiting;
  int awaited = 0;
  bool leads = true;
};

class TimedJournal : public MemoryJournal {
 public:
  Appended NoteTime(Instant at) override {
    noted.push_back(at);
    return end;
  }
  size_t RecordMax() const override { return 10'000; }
  std::vector<Instant> noted;
  Appended end;
};

struct Stopped {};

class ProofsTest : public testing::Test {
 protected:
  void SetUp() override {
    ControlOptions options;
    options.by_hand = true;
    options.leadership = &proofs;
    options.end_process = [] { throw Stopped(); };
    loop = *ControlLoop::Open(journal, clock, options);
    nodes = std::make_unique<NodeConnections>(*loop);
    loop->AddObserver(nodes.get());
  }
  std::shared_ptr<NodeExchange> Join() {
    const JoinNode join{
        std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0})), 1, true, {}, 0};
    std::shared_ptr<NodeExchange> exchange;
    EXPECT_TRUE(nodes->Join(1, join, [&](Result<Joined> joined) { exchange = joined->exchange; }));
    while (exchange == nullptr) (void)loop->Turn();
    return exchange;
  }
  void Work() {
    while (*loop->Turn() == Duration{}) continue;
  }

  ManualClock clock;
  TimedJournal journal;
  LateProofs proofs;
  std::unique_ptr<ControlLoop> loop;
  std::unique_ptr<NodeConnections> nodes;
};

TEST_F(ProofsTest, AHeartbeatIsAnsweredOnceTheLeadIsProven) {
  const auto exchange = Join();
  (void)exchange->TakeNews();
  int wakes = 0;
  exchange->WhenNews([&](bool) { ++wakes; });
  exchange->HearHeartbeat(2);
  EXPECT_EQ(exchange->TakeNews()->heartbeat, 0u);
  proofs.Prove();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(exchange->TakeNews()->heartbeat, 2u);
}

// A join always has a record; only the leader can append.
TEST_F(ProofsTest, AJoinIsAnsweredByItsRecord) {
  const auto exchange = Join();
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 1u);
  EXPECT_TRUE(proofs.waiting.empty());
}

TEST_F(ProofsTest, AReportWithoutARecordIsAnsweredOnceTheLeadIsProven) {
  const auto exchange = Join();
  const AgentReport report{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}};
  ASSERT_TRUE(exchange->Hear(2, report));
  Work();
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 2u) << "its GPUs are recorded";
  ASSERT_TRUE(exchange->Hear(3, report));
  Work();
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 0u);
  proofs.Prove();
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 3u);
}

TEST_F(ProofsTest, ALateProofDoesNotTakeANewerAnswerBack) {
  const auto exchange = Join();
  AgentReport report{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}};
  ASSERT_TRUE(exchange->Hear(2, report));
  Work();
  (void)exchange->TakeNews();
  ASSERT_TRUE(exchange->Hear(3, report));
  Work();
  report.gpus[0].healthy = false;
  report.gpus[0].detail = "broken";
  ASSERT_TRUE(exchange->Hear(4, report));
  Work();
  proofs.Prove();
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 4u);
}

TEST_F(ProofsTest, AReadNeedsAProof) {
  EXPECT_TRUE(loop->Read([](const State&) {}));
  EXPECT_EQ(proofs.awaited, 1);
  proofs.leads = false;
  const Status read = loop->Read([](const State&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
}

TEST_F(ProofsTest, AnAnswerWithARecordNeedsNone) {
  SetQueue set;
  set.name = "prod";
  proofs.leads = false;
  EXPECT_TRUE(loop->Execute("user:root", ClientRequest("a"), set).status);
  EXPECT_EQ(proofs.awaited, 0);
}

// A refusal, and the repeat of a request, tell what the state is.
TEST_F(ProofsTest, AnAnswerWithoutARecordNeedsOne) {
  const StopJob stop{{7}, false};
  EXPECT_EQ(loop->Execute("user:root", "", stop).status.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(proofs.awaited, 1);
  proofs.leads = false;
  EXPECT_EQ(loop->Execute("user:root", "", stop).status.error().code, ErrorCode::kUnavailable);
}

// A journal that takes no such record would stop the controller, and the next one as well.
TEST_F(ProofsTest, ARecordThatTheJournalDoesNotTakeIsRefused) {
  JobSpec spec;
  spec.program.command = {"/bin/sh", "-c", std::string(10'000, '#')};
  const User user{"ana", 1000, 1000};
  const Outcome refused =
      loop->Execute("user:ana", "", SubmitJob{std::make_shared<const JobSpec>(spec), user});
  ASSERT_FALSE(refused.status);
  EXPECT_EQ(refused.status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.status.error().message.find("at most 10000 fit"), std::string::npos);
  EXPECT_TRUE(loop->Read([](const State& state) { EXPECT_TRUE(state.jobs.all.empty()); }));
  spec.program.command.back().resize(1'000);
  EXPECT_TRUE(
      loop->Execute("user:ana", "", SubmitJob{std::make_shared<const JobSpec>(spec), user}).status);
}

TEST_F(ProofsTest, TheTimeIsNotedOnceASecond) {
  const size_t before = journal.noted.size();
  for (int i = 0; i < 30; ++i) {
    clock.Advance(Duration::Milliseconds(100));
    Work();
  }
  EXPECT_EQ(journal.noted.size() - before, 3u);
  EXPECT_EQ(journal.noted.back() - journal.noted[before], Duration::Seconds(2));
}

TEST_F(ProofsTest, ALeaderThatCannotNoteTheTimeStops) {
  journal.end = {AppendEnd::kDeposed, "its term is over"};
  clock.Advance(Duration::Seconds(2));
  EXPECT_THROW(Work(), Stopped);
}

}  // namespace
}  // namespace gp
