#include "adapters/inbound/api/streams/change_feed.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "adapters/inbound/api/streams/change_stream.h"
#include "tests/support/committed.h"
#include "tests/support/hand_controller.h"

namespace gp {
namespace {

const User kEva{"eva", 54'322, 54'322};

struct FeedRig : HandController {
  std::unique_ptr<ChangeFeed> feed;

  explicit FeedRig(size_t kept_max = 100'000) { Start(kept_max); }
  // Once more: as after a restart, with an empty feed.
  void Start(size_t kept_max = 100'000) {
    Open();
    feed = std::make_unique<ChangeFeed>(kept_max);
    loop->AddObserver(feed.get());
    Turn();
  }
  void SetQueueTo(const std::string& name, int weight = 1) {
    SetQueue command;
    command.name = name;
    command.weight = weight;
    ASSERT_TRUE(loop->Execute("user:root", "", command).status);
    Turn();
  }
  void Delete(const std::string& name) {
    ASSERT_TRUE(loop->Execute("user:root", "", DeleteQueue{name}).status);
    Turn();
  }
  void Submit(const std::string& queue) {
    SubmitJob command;
    JobSpec spec;
    spec.program.command = {"true"};
    spec.policy.queue = queue;
    command.spec = std::make_shared<const JobSpec>(spec);
    command.user = kEva;
    const Outcome outcome = loop->Execute("user:eva", "", command);
    ASSERT_TRUE(outcome.status) << outcome.status.error().message;
    Turn();
  }

  static Caller CallerWith(const Access& access, const User& user) {
    Caller caller;
    caller.user = user;
    caller.access = std::make_shared<const Access>(access);
    return caller;
  }
  ChangeStream StreamOf(const Caller& caller, const std::string& since = "",
                        const std::vector<std::string>& kinds = {}) {
    v1::WatchChangesRequest request;
    request.set_since(since);
    for (const std::string& kind : kinds) request.add_kinds(kind);
    return ChangeStream::Open(*feed, caller, request).value();
  }
};

std::string TextOf(const std::vector<v1::StateChange>& changes) {
  std::string text;
  for (const v1::StateChange& one : changes)
    text += (text.empty() ? "" : ", ") + one.kind() + " " + one.object() + " " + one.state();
  return text;
}

TEST(ChangeFeed, TellsWhatChangedAndWhatIsGone) {
  FeedRig rig;
  ChangeStream stream = rig.StreamOf(FeedRig::CallerWith({}, kEva));
  EXPECT_EQ(TextOf(stream.Take()), "");
  rig.SetQueueTo("team");
  rig.Submit("team");
  rig.SetQueueTo("other");
  EXPECT_EQ(TextOf(stream.Take()), "queue team PRESENT, job job-1 QUEUED, queue other PRESENT");
  rig.Delete("other");
  EXPECT_EQ(TextOf(stream.Take()), "queue other ");
  EXPECT_EQ(TextOf(stream.Take()), "");
}

TEST(ChangeFeed, GivesAnObjectOnceWhereItChangedLast) {
  FeedRig rig;
  ChangeStream stream = rig.StreamOf(FeedRig::CallerWith({}, kEva));
  rig.SetQueueTo("a");
  rig.SetQueueTo("b");
  rig.SetQueueTo("a", 2);
  rig.Delete("b");
  rig.SetQueueTo("b");
  const auto told = stream.Take();
  EXPECT_EQ(TextOf(told), "queue a PRESENT, queue b PRESENT");
  ChangeStream again = rig.StreamOf(FeedRig::CallerWith({}, kEva), told[0].id());
  EXPECT_EQ(TextOf(again.Take()), "queue b PRESENT");
}

TEST(ChangeFeed, GoesOnWhereOneWas) {
  FeedRig rig;
  rig.SetQueueTo("a");
  ChangeStream first = rig.StreamOf(FeedRig::CallerWith({}, kEva));
  rig.SetQueueTo("b");
  rig.SetQueueTo("c");
  const auto told = first.Take();
  ASSERT_EQ(told.size(), 2U);
  ChangeStream again = rig.StreamOf(FeedRig::CallerWith({}, kEva), told[0].id());
  EXPECT_EQ(TextOf(again.Take()), "queue c PRESENT");
}

TEST(ChangeFeed, SaysWhenSomethingWasMissed) {
  FeedRig rig(3);
  const std::string begin = ToText(rig.feed->End());
  rig.SetQueueTo("a");
  const FeedPlace first = rig.feed->End();
  for (const char* name : {"b", "c", "d"}) rig.SetQueueTo(name);
  ChangeStream late = rig.StreamOf(FeedRig::CallerWith({}, kEva), begin);
  EXPECT_EQ(TextOf(late.Take()), "missed  ");
  EXPECT_EQ(TextOf(late.Take()), "");
  rig.SetQueueTo("d", 7);
  EXPECT_EQ(TextOf(late.Take()), "queue d PRESENT");
  // Two changes of d and one of c are kept; of d only the later one counts.
  EXPECT_TRUE(rig.feed->After(first, 10).missed) << "b is dropped";
  const FeedPlace second{first.lineage, first.sequence + 1, 0};
  EXPECT_EQ(rig.feed->After(second, 10).changes.size(), 2U);
  // Places of another lineage mean nothing here.
  EXPECT_TRUE(rig.feed->After({second.lineage + 1, second.sequence, 0}, 10).missed);
  EXPECT_TRUE(rig.feed->After({second.lineage - 1, second.sequence, 0}, 10).missed);
}

TEST(ChangeFeed, NothingIsMissedThatChangedAgainLater) {
  FeedRig rig(3);
  const FeedPlace begin = rig.feed->End();
  for (int weight = 1; weight < 9; ++weight) rig.SetQueueTo("a", weight);
  const ChangeFeed::Part part = rig.feed->After(begin, 10);
  EXPECT_FALSE(part.missed);
  EXPECT_EQ(part.changes.size(), 1U);
}

TEST(ChangeFeed, LooksAtAPartOfTheChangesAtATime) {
  FeedRig rig;
  FeedPlace at = rig.feed->End();
  for (int weight = 1; weight < 4; ++weight) rig.SetQueueTo("a", weight);
  rig.SetQueueTo("b");
  std::string names;
  for (int part = 0; part < 3; ++part) {
    const ChangeFeed::Part next = rig.feed->After(at, 2);
    for (const StateChange& change : next.changes) names += change.object;
    at = next.end;
  }
  EXPECT_EQ(names, "ab");
  EXPECT_EQ(at, rig.feed->End());
}

TEST(ChangeFeed, ThePlaceOfAnEarlierVersionMissedEverything) {
  FeedRig rig;
  ChangeStream old = rig.StreamOf(FeedRig::CallerWith({}, kEva), "3-1207");
  const auto told = old.Take();
  ASSERT_EQ(TextOf(told), "missed  ");
  EXPECT_EQ(told[0].id(), ToText(rig.feed->End()));
  rig.SetQueueTo("a");
  EXPECT_EQ(TextOf(old.Take()), "queue a PRESENT");
}

TEST(ChangeFeed, GoesOnInTheMiddleOfARecord) {
  ChangeFeed feed;
  feed.OnBegin({}, {.after = 6});
  const std::vector<Event> record = {QueueDeleted{"c"}, QueueDeleted{"a"}, QueueDeleted{"b"}};
  feed.OnCommit({}, Committed(6, std::span(&record, 1)));
  std::string places;
  for (const StateChange& change : feed.After({0, 7, 0}, 10).changes)
    places += change.object + " " + ToText(change.place) + " ";
  EXPECT_EQ(places, "a 0-7.1 b 0-7.2 c 0-8.0 ");
  const ChangeFeed::Part rest = feed.After({0, 7, 1}, 10);
  ASSERT_EQ(rest.changes.size(), 2U);
  EXPECT_EQ(rest.changes[0].object, "b");
  EXPECT_EQ(rest.end, feed.End());
  // One that begins after the record knows only who has read all of it.
  ChangeFeed later;
  later.OnBegin({}, {.after = 7});
  EXPECT_TRUE(later.After({0, 7, 2}, 10).missed);
  EXPECT_FALSE(later.After({0, 8, 0}, 10).missed);
}

// A controller begins with a record of its own, which touches no object.
TEST(ChangeFeed, ARestartInWhichNothingHappenedMissesNothing) {
  FeedRig rig;
  ChangeStream before = rig.StreamOf(FeedRig::CallerWith({}, kEva));
  rig.SetQueueTo("a");
  EXPECT_EQ(TextOf(before.Take()), "queue a PRESENT");
  const uint64_t sequence = rig.journal.LastSequence();
  rig.Start();
  ASSERT_GT(rig.journal.LastSequence(), sequence) << "it wrote its start";
  ChangeStream after = rig.StreamOf(FeedRig::CallerWith({}, kEva), before.place());
  EXPECT_EQ(TextOf(after.Take()), "");
  rig.SetQueueTo("b");
  EXPECT_EQ(TextOf(after.Take()), "queue b PRESENT");
}

TEST(ChangeFeed, ARestartMissesWhatWasNotReadBefore) {
  FeedRig rig;
  const std::string begin = ToText(rig.feed->End());
  rig.SetQueueTo("a");
  rig.Start();
  EXPECT_EQ(TextOf(rig.StreamOf(FeedRig::CallerWith({}, kEva), begin).Take()), "missed  ");
}

TEST(ChangeFeed, ThatOfAStandbyGoesOnWhenItLeads) {
  FeedRig rig;
  const FeedPlace begin = rig.feed->End();
  rig.SetQueueTo("a");
  rig.loop.reset();
  rig.Open();  // a new epoch
  rig.loop->AddObserver(rig.feed.get());
  rig.Turn();
  rig.SetQueueTo("b");
  const ChangeFeed::Part part = rig.feed->After(begin, 10);
  EXPECT_FALSE(part.missed);
  ASSERT_EQ(part.changes.size(), 2u);
  EXPECT_EQ(part.changes.front().object, "a");
  EXPECT_EQ(part.changes.back().object, "b");
}

TEST(ChangeFeed, OneThatLacksARecordBeginsAgain) {
  FeedRig rig;
  const FeedPlace begin = rig.feed->End();
  ChangeFeed late;
  rig.loop->AddObserver(&late);
  rig.SetQueueTo("a");
  rig.loop.reset();
  rig.Open();
  rig.loop->Execute("user:root", "", DeleteQueue{"a"});  // nobody observes it
  rig.Turn();
  rig.loop.reset();
  rig.Open();
  rig.loop->AddObserver(&late);
  EXPECT_TRUE(late.After(begin, 10).missed);
}

TEST(ChangeFeed, AnotherLineageMissesEverything) {
  FeedRig rig;
  const FeedPlace end = rig.feed->End();
  rig.loop.reset();
  ControlOptions options;
  options.by_hand = true;
  options.begin_lineage = true;
  rig.loop = *ControlLoop::Open(rig.journal, rig.clock, options);
  ChangeFeed feed;
  rig.loop->AddObserver(&feed);
  EXPECT_GT(feed.End().lineage, end.lineage);
  EXPECT_TRUE(feed.After(end, 10).missed);
}

TEST(ChangeFeed, TellsNobodyWhatItMayNotSee) {
  FeedRig rig;
  rig.SetQueueTo("secret");
  rig.SetQueueTo("open");
  Access access;
  access.roles[{kEverybody, "secret"}] = Role::kNone;
  ChangeStream eva = rig.StreamOf(FeedRig::CallerWith(access, kEva));
  Access admin;
  admin.roles[{"ben", ""}] = Role::kAdmin;
  ChangeStream ben = rig.StreamOf(FeedRig::CallerWith(admin, {"ben", 9, 9}));
  rig.Submit("secret");
  rig.Submit("open");
  EXPECT_EQ(TextOf(eva.Take()), "job job-2 QUEUED");
  EXPECT_EQ(TextOf(ben.Take()), "job job-1 QUEUED, job job-2 QUEUED");
  // What was granted later counts from then on.
  access.roles[{kEverybody, ""}] = Role::kNone;
  eva.SetCaller(FeedRig::CallerWith(access, kEva));
  rig.Submit("open");
  EXPECT_EQ(TextOf(eva.Take()), "");
}

TEST(ChangeFeed, OneMayAskForSomeKindsAlone) {
  FeedRig rig;
  rig.SetQueueTo("team");
  ChangeStream jobs = rig.StreamOf(FeedRig::CallerWith({}, kEva), "", {"job", "node"});
  rig.SetQueueTo("team", 3);
  rig.Submit("team");
  EXPECT_EQ(TextOf(jobs.Take()), "job job-1 QUEUED");
}

TEST(ChangeFeed, RefusesWhatIsNone) {
  FeedRig rig;
  v1::WatchChangesRequest request;
  for (const char* since :
       {"x", "1", "1-", "-1", "1-x", "1-2-3", "99999999999999999999-1", "1.0", "1-2.", "1-2.x",
        "1-.0", "-2.0", "1.0-2", "1-2.3.4", "1-2.4294967296"}) {
    request.set_since(since);
    EXPECT_EQ(ChangeStream::Open(*rig.feed, {}, request).error().code, ErrorCode::kInvalidArgument)
        << since;
  }
  request.clear_since();
  request.add_kinds("jobs");
  EXPECT_EQ(ChangeStream::Open(*rig.feed, {}, request).error().code, ErrorCode::kInvalidArgument);
}

TEST(ChangeFeed, WakesWhoeverWaits) {
  FeedRig rig;
  int told = 0;
  rig.feed->OnNews([&] { ++told; });
  const FeedPlace end = rig.feed->End();
  EXPECT_FALSE(rig.feed->Await(end, Duration::Milliseconds(1)));
  bool woken = false;
  std::thread waiting([&] { woken = rig.feed->Await(end, Duration::Minutes(60)); });
  rig.SetQueueTo("a");
  waiting.join();
  EXPECT_TRUE(woken);
  EXPECT_EQ(told, 1);
}

// A client comes from a controller that is three records further.
TEST(ChangeFeed, WaitsUntilItHasReachedThePlace) {
  FeedRig rig;
  FeedPlace ahead = rig.feed->End();
  ahead.sequence += 3;
  ChangeStream stream = rig.StreamOf(FeedRig::CallerWith({}, kEva), ToText(ahead));
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(TextOf(stream.Take()), "");
    EXPECT_EQ(stream.place(), ToText(ahead));
    EXPECT_FALSE(stream.Await(Duration::Milliseconds(1)));
    rig.SetQueueTo(name);
  }
  EXPECT_EQ(TextOf(stream.Take()), "");
  bool woken = false;
  std::thread waiting([&] { woken = stream.Await(Duration::Minutes(60)); });
  rig.SetQueueTo("d");
  waiting.join();
  EXPECT_TRUE(woken);
  EXPECT_EQ(TextOf(stream.Take()), "queue d PRESENT");
}

}  // namespace
}  // namespace gp
