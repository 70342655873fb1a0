#include "application/control/control_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/recover.h"
#include "tests/support/stderr_log.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

SubmitJob Submit(int gpus = 1) {
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = gpus;
  return {std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}};
}

struct Rig {
  ManualClock clock;
  MemoryJournal journal;
  std::unique_ptr<ControlLoop> loop;

  explicit Rig(ControlOptions options = {}) { Open(options); }
  void Open(ControlOptions options = {}) {
    loop.reset();
    options.deaf_min = Duration::Minutes(60 * 24);  // its clock jumps
    loop = *ControlLoop::Open(journal, clock, options);
    loop->Start();
  }
  NodeId AddNode(const std::string& name = "n1") {
    const auto facts =
        std::make_shared<const NodeFacts>(TestCluster::MakeFacts(name, {0, 0, 1, 1}));
    EXPECT_TRUE(loop->Execute("node", "", JoinNode{facts, 1, true, {}, 0}).status);
    NodeId id;
    EXPECT_TRUE(loop->Read([&](const State& state) { id = state.nodes.by_name.at(name); }));
    ReportNode report{id, 1, {}, {}};
    for (int gpu = 0; gpu < 4; ++gpu) report.gpus.push_back({gpu, true, false, ""});
    EXPECT_TRUE(loop->Execute("node", "", report).status);
    loop->HeardFrom(id);
    return id;
  }
  JobState StateOf(JobId job) {
    JobState state{};
    EXPECT_TRUE(loop->Read([&](const State& s) { state = s.FindJob(job)->state; }));
    return state;
  }
};

TEST(ControlLoop, WhatIsReadAfterASubmitIsPlanned) {
  Rig rig;
  rig.AddNode();
  const Outcome outcome = rig.loop->Execute("user:ana", "", Submit());
  ASSERT_TRUE(outcome.status);
  EXPECT_EQ(rig.StateOf(outcome.job), JobState::kStarting);
}

TEST(ControlLoop, PlansWhenAGuaranteeOrAReservationGoes) {
  Rig rig({.policy = {.lease_time = Duration::Minutes(60)}});
  rig.AddNode();
  SetQueue set;
  set.name = "prod";
  set.guaranteed = 4;
  ASSERT_TRUE(rig.loop->Execute("user:root", "", set).status);
  const JobId firm = rig.loop->Execute("user:ana", "", Submit()).job;
  EXPECT_EQ(rig.StateOf(firm), JobState::kQueued) << "all is guaranteed to others";
  ASSERT_TRUE(rig.loop->Execute("user:root", "", DeleteQueue{"prod"}).status);
  EXPECT_EQ(rig.StateOf(firm), JobState::kStarting);

  const JobId large = rig.loop->Execute("user:ana", "", Submit(4)).job;
  rig.clock.Advance(Duration::Minutes(6));
  const JobId small = rig.loop->Execute("user:ana", "", Submit()).job;
  EXPECT_EQ(rig.StateOf(small), JobState::kQueued) << "the node is kept for the large one";
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", HoldJob{large}).status);
  EXPECT_EQ(rig.StateOf(small), JobState::kStarting);
}

TEST(ControlLoop, ARepeatedRequestGivesTheSameJob) {
  Rig rig;
  const Outcome first = rig.loop->Execute("user:ana", "r1", Submit());
  const Outcome second = rig.loop->Execute("user:ana", "r1", Submit(2));
  EXPECT_EQ(first.job, second.job);
  EXPECT_TRUE(second.events.empty());
}

TEST(ControlLoop, WhatWasAcknowledgedIsThereAfterARestart) {
  Rig rig;
  rig.AddNode();
  const JobId job = rig.loop->Execute("user:ana", "r1", Submit()).job;
  uint64_t digest = 0;
  uint64_t epoch = 0;
  ASSERT_TRUE(rig.loop->Read([&](const State& s) {
    digest = StateDigest(s);
    epoch = s.epoch;
  }));
  rig.Open();
  EXPECT_EQ(rig.StateOf(job), JobState::kStarting);
  ASSERT_TRUE(rig.loop->Read([&](const State& s) { EXPECT_EQ(s.epoch, epoch + 1); }));
  EXPECT_EQ(rig.loop->Execute("user:ana", "r1", Submit()).job, job);
  rig.loop.reset();
  const auto report = Replay(rig.journal, true);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->differences.empty()) << report->differences.front();
  EXPECT_GT(report->plans, 0u);
}

TEST(ControlLoop, RecoversFromASnapshotAndTheRecordsBehindIt) {
  ControlOptions options;
  options.records_per_snapshot = 3;
  Rig rig(options);
  rig.AddNode();
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(rig.loop->Execute("user:ana", "", Submit()).status);
  std::string before;
  ASSERT_TRUE(rig.loop->Read([&](const State& s) { before = EncodeState(s); }));
  rig.loop.reset();
  ASSERT_GT(rig.journal.LatestSnapshot()->sequence, 0u);
  EXPECT_EQ(EncodeState(RecoverState(rig.journal)->state), before);
}

TEST(ControlLoop, ASilentNodeIsLostAfterALeaseTimeAndNotBefore) {
  Rig rig;
  const NodeId node = rig.AddNode();
  const auto condition = [&] {
    NodeCondition found{};
    EXPECT_TRUE(rig.loop->Read([&](const State& s) { found = s.FindNode(node)->condition; }));
    return found;
  };
  rig.clock.Advance(Duration::Seconds(10));
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(condition(), NodeCondition::kUp);
  rig.clock.Advance(Duration::Milliseconds(1));
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(condition(), NodeCondition::kUp) << "its heartbeat may wait unread";
  rig.loop->Listened();
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(condition(), NodeCondition::kLost);
}

TEST(ControlLoop, SaysHowFarItIsBehind) {
  ManualClock clock;
  MemoryJournal journal;
  const auto loop =
      *ControlLoop::Open(journal, clock, {.inbox_max = 7, .deaf_min = Duration::Seconds(2)});
  EXPECT_EQ(loop->Load().deaf, Duration{});
  clock.Advance(Duration::Seconds(3));
  EXPECT_EQ(loop->Load().deaf, Duration::Seconds(3));
  loop->Listened();
  EXPECT_EQ(loop->Load().deaf, Duration{});
  EXPECT_EQ(loop->Load().waiting, 0U);
  ASSERT_TRUE(loop->Post("x", Tick{}, {}));  // it was not started
  EXPECT_EQ(loop->Load().waiting, 1U);
  EXPECT_EQ(loop->Load().waiting_max, 7U);
}

// On the same boot, and on a machine that booted with a clock that is an hour behind.
TEST(ControlLoop, TimeDoesNotGoBackOverARestartFromASnapshotAlone) {
  for (const bool boots : {false, true}) {
    Rig rig({.records_per_snapshot = 1});
    rig.AddNode();
    const JobId first = rig.loop->Execute("user:ana", "", Submit()).job;
    rig.loop->Stop();
    ASSERT_EQ(rig.journal.LatestSnapshot()->sequence, rig.journal.LastSequence());
    if (boots) {
      rig.clock.Reboot("boot-2", Duration::Minutes(-60));
    } else {
      rig.clock.StepWall(Duration::Minutes(-60));
    }
    rig.Open();
    const JobId second = rig.loop->Execute("user:ana", "", Submit()).job;
    ASSERT_TRUE(rig.loop->Read([&](const State& state) {
      EXPECT_GE(state.FindJob(second)->submitted_at, state.FindJob(first)->submitted_at) << boots;
    }));
  }
}

// The leases of a lost node have run out, and its jobs may start elsewhere.
bool IsOver(Rig& rig, NodeId id) {
  bool is_over = false;
  EXPECT_TRUE(rig.loop->Execute("user:ana", "", Tick{}).status);
  EXPECT_TRUE(rig.loop->Read(
      [&](const State& state) { is_over = state.nodes.all[id.value].leases_expired; }));
  return is_over;
}

TEST(ControlLoop, ASteppedClockDoesNotEndTheLeasesOfALostNode) {
  Rig rig;
  const NodeId id = rig.AddNode();
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", Submit()).status);
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", ExpireHeartbeat{id}).status);
  rig.clock.StepWall(Duration::Minutes(60));
  rig.clock.Advance(kLeaseEndTime - Duration::Milliseconds(1));
  EXPECT_FALSE(IsOver(rig, id));
  rig.clock.Advance(Duration::Milliseconds(1));
  EXPECT_TRUE(IsOver(rig, id));
}

TEST(ControlLoop, ARestartGivesLeasesOfALostNodeTheirFullTime) {
  Rig rig;
  const NodeId id = rig.AddNode();
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", Submit()).status);
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", ExpireHeartbeat{id}).status);
  rig.loop->Stop();
  rig.clock.StepWall(Duration::Minutes(60));
  rig.Open();
  EXPECT_FALSE(IsOver(rig, id));
  rig.clock.Advance(kLeaseEndTime);
  EXPECT_TRUE(IsOver(rig, id));
}

TEST(ControlLoop, AfterARestartNoNodeIsLostBeforeAWholeLeaseTime) {
  Rig rig;
  rig.AddNode();
  rig.loop.reset();
  rig.clock.Advance(Duration::Minutes(5));
  rig.Open();
  rig.clock.Advance(Duration::Seconds(9));
  (void)rig.loop->Execute("x", "", Tick{});
  ASSERT_TRUE(rig.loop->Read(
      [](const State& s) { EXPECT_EQ(s.nodes.all[0].condition, NodeCondition::kUp); }));
}

TEST(ControlLoop, ALineageGoesOnUntilTheJournalIsNewOrCut) {
  Rig rig;
  const auto lineage = [&] {
    uint64_t found = 0;
    EXPECT_TRUE(rig.loop->Read([&](const State& s) { found = s.lineage; }));
    return found;
  };
  const uint64_t first = lineage();
  EXPECT_NE(first, 0u);
  rig.clock.Advance(Duration::Minutes(5));
  rig.Open();
  EXPECT_EQ(lineage(), first);
  ControlOptions cut;
  cut.begin_lineage = true;
  rig.Open(cut);
  EXPECT_GT(lineage(), first);
}

TEST(ControlLoop, AfterACutNothingStartsBeforeForgottenLeasesHaveEnded) {
  ControlOptions cut;
  cut.begin_lineage = true;
  Rig rig(cut);
  const NodeId node = rig.AddNode();
  const JobId job = rig.loop->Execute("user:ana", "", Submit()).job;
  EXPECT_EQ(rig.StateOf(job), JobState::kQueued);
  // Leases run out after 10 s, and what held them may take 6 s more.  A restart changes nothing.
  rig.clock.Advance(Duration::Seconds(10));
  rig.Open();
  rig.loop->HeardFrom(node);
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(rig.StateOf(job), JobState::kQueued);
  rig.clock.Advance(Duration::Seconds(6));
  rig.loop->HeardFrom(node);
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(rig.StateOf(job), JobState::kStarting);
}

// A node that is cut off from this controller may hold leases for as long as the policy of before
// says.
TEST(ControlLoop, WithAShorterLeaseTimeNothingStartsBeforeLongerLeasesHaveEnded) {
  const auto with = [](Duration lease_time) {
    ControlOptions options;
    options.policy.lease_time = lease_time;
    return options;
  };
  Rig rig(with(Duration::Seconds(60)));
  const NodeId node = rig.AddNode();
  rig.Open(with(Duration::Seconds(10)));
  rig.loop->HeardFrom(node);
  const JobId job = rig.loop->Execute("user:ana", "", Submit()).job;
  rig.clock.Advance(Duration::Seconds(59));
  rig.loop->HeardFrom(node);
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(rig.StateOf(job), JobState::kQueued);
  rig.clock.Advance(Duration::Seconds(8));
  rig.loop->HeardFrom(node);
  (void)rig.loop->Execute("x", "", Tick{});
  EXPECT_EQ(rig.StateOf(job), JobState::kStarting);
}

TEST(ControlLoop, AFullInboxRefusesAndLosesNothing) {
  ControlOptions options;
  options.inbox_max = 2;
  Rig rig(options);
  std::vector<std::pair<ClientRequest, Command>> three(3, {"", Submit()});
  for (const Outcome& outcome : rig.loop->ExecuteAll("user:ana", three, {})) {
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().code, ErrorCode::kUnavailable);
  }
  ASSERT_TRUE(rig.loop->Read([](const State& s) { EXPECT_TRUE(s.jobs.all.empty()); }));
}

// A store without room refuses jobs, and nothing else.
TEST(ControlLoop, RefusesJobsAloneWhileNoneAreAccepted) {
  std::atomic<bool> accepts = true;
  ControlOptions options;
  options.accepts_jobs = [&accepts] {
    return accepts ? Ok() : Status(Fail(Error{ErrorCode::kResourceExhausted, "no room"}));
  };
  Rig rig(options);
  const Outcome before = rig.loop->Execute("user:ana", "before", Submit());
  ASSERT_TRUE(before.status);
  accepts = false;
  const Outcome refused = rig.loop->Execute("user:ana", "new", Submit());
  ASSERT_FALSE(refused.status);
  EXPECT_EQ(refused.status.error().code, ErrorCode::kResourceExhausted);
  EXPECT_FALSE(rig.loop->Execute("user:ana", "", Submit()).status);
  const Outcome again = rig.loop->Execute("user:ana", "before", Submit());
  ASSERT_TRUE(again.status) << "a repeated request";
  EXPECT_EQ(again.job, before.job);
  EXPECT_TRUE(rig.loop->Execute("user:ana", "", StopJob{before.job}).status);
  accepts = true;
  EXPECT_TRUE(rig.loop->Execute("user:ana", "new", Submit()).status);
}

// The room may end while the jobs of one request are taken, batch by batch.
TEST(ControlLoop, AsksOnceForAllJobsOfARequest) {
  std::atomic<int> asked = 0;
  ControlOptions options;
  options.batch_max = 2;
  options.accepts_jobs = [&asked] {
    return ++asked == 1 ? Ok() : Status(Fail(Error{ErrorCode::kResourceExhausted, "no room"}));
  };
  Rig rig(options);
  const std::vector<std::pair<ClientRequest, Command>> five(5, {"", Submit()});
  for (const Outcome& outcome : rig.loop->ExecuteAll("user:ana", five, {}))
    EXPECT_TRUE(outcome.status);
  for (const Outcome& outcome : rig.loop->ExecuteAll("user:ana", five, {}))
    EXPECT_FALSE(outcome.status);
  EXPECT_EQ(asked, 2);
  ASSERT_TRUE(rig.loop->Read([](const State& s) { EXPECT_EQ(s.jobs.all.size(), 5u); }));
}

// A controller that was killed between two batches has carried out a part of it.
TEST(ControlLoop, ARequestThatWasAcceptedInPartIsAcceptedWhole) {
  std::atomic<bool> accepts = true;
  ControlOptions options;
  options.accepts_jobs = [&accepts] {
    return accepts ? Ok() : Status(Fail(Error{ErrorCode::kResourceExhausted, "no room"}));
  };
  Rig rig(options);
  ASSERT_TRUE(rig.loop->Execute("user:ana", "first", Submit()).status);
  accepts = false;
  const std::vector<std::pair<ClientRequest, Command>> both{{"first", Submit()},
                                                            {"second", Submit()}};
  for (const Outcome& outcome : rig.loop->ExecuteAll("user:ana", both, {}))
    EXPECT_TRUE(outcome.status);
}

TEST(ControlLoop, APreconditionIsAskedOnceAndRefusesAll) {
  Rig rig;
  const std::vector<std::pair<ClientRequest, Command>> two(2, {"", Submit()});
  std::vector<size_t> seen;
  const auto at_most_one = [&](const State& state) {
    seen.push_back(state.jobs.all.size());
    return state.jobs.all.size() > 1 ? Status(Fail(Conflict("enough"))) : Ok();
  };
  for (const Outcome& outcome : rig.loop->ExecuteAll("user:ana", two, at_most_one))
    EXPECT_TRUE(outcome.status);
  for (const Outcome& outcome : rig.loop->ExecuteAll("user:ana", two, at_most_one)) {
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().message, "enough");
  }
  EXPECT_EQ(seen, (std::vector<size_t>{0, 2}));
  ASSERT_TRUE(rig.loop->Read([](const State& s) { EXPECT_EQ(s.jobs.all.size(), 2u); }));
}

TEST(ControlLoop, ManyCallersAtOnceEachGetTheirOwnJob) {
  Rig rig;
  std::vector<std::vector<uint64_t>> jobs(4);
  std::vector<std::thread> callers;
  for (auto& mine : jobs) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        mine.push_back(rig.loop->Execute("user:ana", "", Submit()).job.value);
    });
  }
  for (std::thread& caller : callers) caller.join();
  std::set<uint64_t> all;
  for (const auto& mine : jobs) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 400u);
}

// Whatever the batches, observers can number all records, from the controller's own start on.
TEST(ControlLoop, ObserversLearnTheNumbersOfAllRecords) {
  struct Observer : CommitObserver {
    std::vector<std::string> seen;  // each record's number and how many events it has
    void Note(const CommittedRecords& committed) {
      size_t begin = 0;
      uint64_t number = committed.after;
      for (const size_t end : committed.ends) {
        seen.push_back(std::to_string(++number) + ": " + std::to_string(end - begin));
        begin = end;
      }
      EXPECT_EQ(number, committed.last());
      EXPECT_EQ(begin, committed.events.size());
    }
    void OnBegin(const State&, const CommittedRecords& newest) override { Note(newest); }
    void OnCommit(const State&, const CommittedRecords& committed) override { Note(committed); }
  };
  ManualClock clock;
  MemoryJournal journal;
  Observer observer;
  for (int start = 0; start < 2; ++start) {
    ControlOptions options;
    options.by_hand = true;
    auto loop = *ControlLoop::Open(journal, clock, options);
    loop->AddObserver(&observer);
    for (int job = 0; job < 3; ++job) {
      ASSERT_TRUE(loop->Execute("user:ana", "", Submit()).status);
      EXPECT_FALSE(loop->Execute("user:ana", "", HoldJob{{99}}).status) << "gives no record";
    }
    ASSERT_TRUE(loop->Post("user:ana", Submit(), {}));
    ASSERT_TRUE(loop->Post("user:ana", Submit(), {}));
    while (loop->Turn() == Duration{}) {
    }
  }
  std::vector<std::string> written;
  ASSERT_TRUE(journal.ReadAfter(0, [&](uint64_t number, std::string_view bytes) -> Status {
    const Record record = GP_TRY(DecodeRecord(bytes));
    written.push_back(std::to_string(number) + ": " + std::to_string(record.events.size()));
    return Ok();
  }));
  EXPECT_EQ(observer.seen, written);
}

TEST(ControlLoop, ObserversSeeOnlyWhatIsDurable) {
  struct Observer : CommitObserver {
    MemoryJournal* journal = nullptr;
    uint64_t seen = 0;
    void OnCommit(const State&, const CommittedRecords&) override {
      seen = journal->LastSequence();
    }
  } observer;
  ManualClock clock;
  MemoryJournal journal;
  observer.journal = &journal;
  auto loop = *ControlLoop::Open(journal, clock, {});
  loop->AddObserver(&observer);
  loop->Start();
  ASSERT_TRUE(loop->Execute("user:ana", "", Submit()).status);
  loop->Stop();
  EXPECT_EQ(observer.seen, journal.LastSequence());
  EXPECT_GT(observer.seen, 1u);
}

// The writer has not begun: all is asked in one batch, which is written in one go.
TEST(ControlLoop, WhoeverIsAnsweredIsWritten) {
  ManualClock clock;
  MemoryJournal journal;
  auto loop = *ControlLoop::Open(journal, clock, {.by_hand = true});
  const uint64_t before = journal.LastSequence();
  std::vector<uint64_t> written;
  const auto look = [&](const Outcome& outcome, const State& state) {
    EXPECT_TRUE(outcome.status);
    EXPECT_EQ(state.jobs.all.size(), 3u) << "the state after the whole batch";
    written.push_back(journal.LastSequence() - before);
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loop->Post("user:ana", Submit(), look));
  (void)loop->Turn();
  EXPECT_EQ(written, (std::vector<uint64_t>{3, 3, 3}));
}

// Where the journal is written.
struct WatchedJournal : MemoryJournal {
  std::set<std::thread::id> writers;
  Appended Append(uint64_t epoch, uint64_t expected,
                  std::span<const std::string> records) override {
    writers.insert(std::this_thread::get_id());
    return MemoryJournal::Append(epoch, expected, records);
  }
};

TEST(ControlLoop, WhoeverAsksWhileTheWriterRestsWritesInItsPlace) {
  ManualClock clock;
  WatchedJournal journal;
  auto loop = *ControlLoop::Open(journal, clock, {});
  journal.writers.clear();
  loop->Start();
  for (int i = 0; i < 10'000 && !journal.writers.contains(std::this_thread::get_id()); ++i) {
    ASSERT_TRUE(loop->Execute("user:ana", "", Submit()).status);
    ASSERT_TRUE(loop->Read([](const State&) {}));
  }
  EXPECT_TRUE(journal.writers.contains(std::this_thread::get_id()));
  loop->Stop();
}

// The writer's thread gets its turn: all is planned, published and read however many ask.
TEST(ControlLoop, CallersDoNotKeepTheWriterFromPlanning) {
  Rig rig({.policy = {.lease_time = Duration::Minutes(60)}});
  rig.AddNode();
  std::atomic<bool> stop = false;
  std::vector<std::thread> callers(3);
  for (std::thread& caller : callers) {
    caller = std::thread([&] {
      while (!stop) (void)rig.loop->Execute("user:ana", "", Submit(4));
    });
  }
  const auto places_one = [&] {
    bool is_placed = false;
    EXPECT_TRUE(rig.loop->Read([&](const State& s) { is_placed = !s.leases.all.empty(); }));
    return is_placed;
  };
  for (int i = 0; i < 1'000 && !places_one(); ++i) std::this_thread::yield();
  EXPECT_TRUE(places_one());
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

// Writes the records, and does not know it.
struct ForgetfulJournal : MemoryJournal {
  int appends = 0;
  Appended Append(uint64_t epoch, uint64_t expected,
                  std::span<const std::string> records) override {
    ++appends;
    (void)MemoryJournal::Append(epoch, expected, records);
    return {AppendEnd::kUnknown, "the disk failed"};
  }
};

TEST(ControlLoop, AnEpochThatDoesNotBeginAppendsNothingMore) {
  ManualClock clock;
  ForgetfulJournal journal;
  const auto loop = ControlLoop::Open(journal, clock, {});
  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error().message, "the disk failed");
  EXPECT_EQ(journal.appends, 1);
}

TEST(ControlLoopDeathTest, AJournalThatFailsStopsTheProcess) {
  ManualClock clock;
  MemoryJournal journal;
  StderrLog log;
  auto loop = *ControlLoop::Open(journal, clock, {.log = &log});
  EXPECT_EXIT(
      {
        journal.FailNextAppend();
        loop->Start();
        (void)loop->Execute("user:ana", "", Submit());
      },
      testing::ExitedWithCode(EXIT_FAILURE), "no space left.*must not report");
}

TEST(ControlLoopDeathTest, ADeposedControllerStopsWithoutAnAnswer) {
  ManualClock clock;
  MemoryJournal journal;
  StderrLog log;
  auto loop = *ControlLoop::Open(journal, clock, {.log = &log});
  EXPECT_EXIT(
      {
        const std::string record[] = {"of another controller"};
        (void)journal.Append(99, journal.LastSequence(), record);
        loop->Start();
        (void)loop->Execute("user:ana", "", Submit());
        std::fprintf(stderr, "it answered\n");
      },
      testing::ExitedWithCode(kExitDeposed), "epoch 99 has begun.*another one leads");
}

}  // namespace
}  // namespace gp
