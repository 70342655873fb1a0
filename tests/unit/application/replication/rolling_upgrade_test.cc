// Controllers of several releases follow one log: who reads which format, and when it is raised.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/replication/log/shared_journal.h"
#include "application/replication/members/controllers.h"
#include "application/replication/standby.h"
#include "domain/cluster/codec/codec.h"
#include "tests/unit/application/replication/faulty_store.h"
#include "tests/unit/application/replication/fixed_health.h"
#include "tests/unit/application/replication/seat.h"

namespace gp {
namespace {

using testing::HasSubstr;

constexpr FormatRange kThisRelease{16, 21};
constexpr FormatRange kNextRelease{16, 22};

// A machine with a journal and clocks of its own, whose program may be replaced.
struct Machine {
  Machine(QuorumStore& store, const std::string& machine, FormatRange formats)
      : name(machine),
        log(store, StoreKeys("test")),
        key(store, StoreKeys("test"), machine, Duration::Seconds(2)),
        controllers(store, health, StoreKeys("test"), machine) {
    clock.Reboot(machine, Duration::Seconds(1));
    Start(formats);
  }
  // Another program begins with the journal.
  void Start(FormatRange formats) {
    loop.reset();
    key.Resign();
    replica.emplace(log, journal, clock,
                    Replica::Keeping{.records_per_snapshot = 3, .formats = formats});
    standby.emplace(log, key, *replica, clock, Member{.name = name});
    const Status recovered = replica->Recover();
    if (!recovered) standby->BecomeUnfit(recovered.error().message);
  }
  Standby::Role Turn() {
    Result<Standby::Role> role = standby->Turn();
    while (role && *role == Standby::Role::kIsLate) role = standby->Turn();
    EXPECT_TRUE(role) << role.error().message;
    return role.value_or(Standby::Role::kIsLate);
  }
  // REQUIRES: nobody else leads.
  void Lead() {
    ASSERT_EQ(Turn(), Standby::Role::kLeads);
    writer.emplace(log, key.term(), standby->head(), [](int tries) { return tries < 3; });
    shared.emplace(*writer, journal, [this](Instant now) { return standby->TellOfItself(now); });
    ControlOptions options;
    options.by_hand = true;
    options.leadership = &leadership;
    options.formats = replica->formats();
    options.records_per_snapshot = 3;
    options.format_of_all = [this] {
      const auto seen = controllers.Look();
      return seen ? FormatOfAll(*seen, false) : 0;
    };
    options.end_process = [] { throw Ended(); };
    auto opened = ControlLoop::Open(*shared, clock, options, replica->TakeState());
    ASSERT_TRUE(opened) << opened.error().message;
    loop = *std::move(opened);
  }
  Status SetQueue(const std::string& queue) {
    gp::SetQueue set;
    set.name = queue;
    return loop->Execute("user:root", "", set).status;
  }
  uint64_t Agreed() {
    uint64_t format = 0;
    EXPECT_TRUE(loop->Read([&](const State& state) { format = state.format; }));
    return format;
  }
  // The formats of the records that its journal has.
  std::vector<uint64_t> Formats() {
    std::vector<uint64_t> formats;
    EXPECT_TRUE(journal.ReadAfter(0, [&](uint64_t, std::string_view bytes) -> Status {
      formats.push_back(static_cast<uint64_t>(bytes[0]) / 2);  // zigzag
      return Ok();
    }));
    return formats;
  }

  const std::string name;
  ManualClock clock;
  MemoryJournal journal;
  Proven leadership;
  SharedLog log;
  LeaderKey key;
  FixedHealth health;
  Controllers controllers;
  std::optional<Replica> replica;
  std::optional<Standby> standby;
  std::optional<LogWriter> writer;
  std::optional<SharedJournal> shared;
  std::unique_ptr<ControlLoop> loop;
};

struct RollingUpgradeTest : testing::Test {
  void SetUp() override { a.Lead(); }
  // The leader takes its turns while the others follow.
  void Live(Machine& leader, std::initializer_list<Machine*> others) {
    for (int i = 0; i < 40; ++i) {
      for (Machine* one : {&a, &b, &c}) one->clock.Advance(Duration::Milliseconds(100));
      leader.loop->Turn();
      for (Machine* one : others) one->Turn();
    }
  }

  FaultyStore store;
  Machine a{store, "a", kThisRelease};
  Machine b{store, "b", kThisRelease};
  Machine c{store, "c", kThisRelease};
};

TEST_F(RollingUpgradeTest, TheFormatIsRaisedWhenTheLastOneReadsIt) {
  Live(a, {&b, &c});
  // Standbys first; then the leader gives the lead up.
  b.Start(kNextRelease);
  Live(a, {&b, &c});
  c.Start(kNextRelease);
  Live(a, {&b, &c});
  EXPECT_EQ(a.Agreed(), 21U) << "the leader itself does not write it";
  a.Start(kThisRelease);
  b.Lead();
  Live(b, {&a, &c});
  EXPECT_EQ(b.Agreed(), 21U) << "one that lives does not read it";
  a.Start(kNextRelease);
  Live(b, {&a, &c});
  EXPECT_EQ(b.Agreed(), 22U);
  ASSERT_TRUE(b.SetQueue("after"));
  Live(b, {&a, &c});
  const std::vector<uint64_t> formats = c.Formats();
  EXPECT_EQ(formats.front(), 21U);
  EXPECT_EQ(formats.back(), 22U);
  EXPECT_TRUE(std::ranges::is_sorted(formats));
  for (Machine* one : {&a, &c}) {
    EXPECT_EQ(one->standby->unfit(), "");
    EXPECT_EQ(one->replica->state().format, 22U);
  }
}

TEST_F(RollingUpgradeTest, BeforeItIsRaisedAnOlderProgramTakesOverAgain) {
  Live(a, {&b, &c});
  a.Start(kNextRelease);
  a.Lead();
  ASSERT_TRUE(a.SetQueue("queue"));
  Live(a, {&b, &c});
  b.Start(kThisRelease);
  a.Start(kNextRelease);
  b.Lead();
  EXPECT_TRUE(
      b.loop->Read([](const State& state) { EXPECT_TRUE(state.queues.all.contains("queue")); }));
  for (const uint64_t format : a.Formats()) EXPECT_EQ(format, 21U);
  // Its snapshots are of that format as well.
  ASSERT_GT(a.journal.LatestSnapshot()->sequence, 0U);
  a.Start(kThisRelease);
  EXPECT_EQ(a.Turn(), Standby::Role::kFollows);
}

// It stays, says why, and takes no lead even if nobody else has it.
TEST_F(RollingUpgradeTest, WhoCannotReadOnBecomesUnfit) {
  Live(a, {&b, &c});
  const uint64_t before = c.journal.LastSequence();
  a.Start(kNextRelease);
  a.Lead();
  ASSERT_TRUE(a.loop->Execute("user:root", "", RaiseFormat{22}).status);
  ASSERT_TRUE(a.SetQueue("unreadable"));
  EXPECT_EQ(c.Turn(), Standby::Role::kIsUnfit);
  EXPECT_EQ(c.journal.LastSequence(), before + 2) << "the start, and the record that raises it";
  EXPECT_EQ(c.replica->state().format, 22U);
  EXPECT_EQ(c.Formats().back(), 21U) << "so it knows why it cannot read on";
  EXPECT_THAT(c.standby->unfit(), HasSubstr("has format 22"));
  a.clock.Advance(Duration::Seconds(1));
  a.loop->Turn();
  c.clock.Advance(Duration::Seconds(3));
  EXPECT_EQ(c.Turn(), Standby::Role::kIsUnfit);
  const auto seen = a.controllers.Look();
  ASSERT_TRUE(seen);
  const ControllerStatus& of_c = seen->all.at(2);
  EXPECT_THAT(of_c.member.unfit, HasSubstr("has format 22"));
  EXPECT_TRUE(of_c.Lives());
  EXPECT_FALSE(of_c.IsStandby());
  EXPECT_EQ(c.key.seen_owner(), "a") << "clients still reach the leader through it";
  a.key.Resign();
  EXPECT_EQ(c.Turn(), Standby::Role::kIsUnfit);
  EXPECT_EQ(c.key.Owner(), Result<std::string>(""));

  // Its program is upgraded: it is fit, and has everything.
  c.Start(kNextRelease);
  c.Lead();
  EXPECT_TRUE(c.loop->Read(
      [](const State& state) { EXPECT_TRUE(state.queues.all.contains("unreadable")); }));
}

TEST_F(RollingUpgradeTest, AJournalOfALaterReleaseMakesUnfitToo) {
  b.Start(kNextRelease);
  a.Start(kNextRelease);
  a.Lead();
  ASSERT_TRUE(a.SetQueue("queue"));
  EXPECT_EQ(a.Agreed(), 22U) << "it is the only one that has told of itself";
  EXPECT_EQ(b.Turn(), Standby::Role::kFollows);
  b.Start(kThisRelease);
  EXPECT_EQ(b.Turn(), Standby::Role::kIsUnfit);
  EXPECT_EQ(RecoverState(b.journal, kThisRelease).error().code, ErrorCode::kUnsupported);
  b.Start(kNextRelease);
  EXPECT_EQ(b.Turn(), Standby::Role::kFollows);
}

// What the leader before wrote at the last moment, this candidate cannot read.
TEST_F(RollingUpgradeTest, ACandidateThatCannotReadOnGivesTheLeadUp) {
  b.Turn();
  a.Start(kNextRelease);
  a.Lead();
  b.Turn();
  ASSERT_TRUE(a.loop->Execute("user:root", "", RaiseFormat{22}).status);
  a.key.Resign();
  const auto role = b.standby->Turn();
  ASSERT_TRUE(role);
  // It reads the record that raises the format, and the next one is not there.
  Machine d(store, "d", kNextRelease);
  if (*role == Standby::Role::kLeads) b.key.Resign();
  d.Lead();
  ASSERT_TRUE(d.SetQueue("queue"));
  EXPECT_EQ(b.Turn(), Standby::Role::kIsUnfit);
  EXPECT_EQ(b.key.term(), 0U);
}

TEST_F(RollingUpgradeTest, NoFormatIsRaisedThatTheLeaderDoesNotWrite) {
  const Status refused = a.loop->Execute("user:root", "", RaiseFormat{22}).status;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_EQ(a.Agreed(), 21U);
}

// A journal of one controller is adopted: its format stays the least that others have to read.
TEST_F(RollingUpgradeTest, AloneTheNewestFormatIsUsedAtOnce) {
  MemoryJournal journal;
  ManualClock clock;
  ControlOptions options;
  options.by_hand = true;
  options.formats = kThisRelease;
  ASSERT_TRUE(ControlLoop::Open(journal, clock, options));
  EXPECT_EQ(RecoverState(journal)->state.format, 21U);
  options.formats = kNextRelease;
  ASSERT_TRUE(ControlLoop::Open(journal, clock, options));
  EXPECT_EQ(RecoverState(journal, kNextRelease)->state.format, 22U);
  EXPECT_EQ(RecoverState(journal, kThisRelease).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace gp
