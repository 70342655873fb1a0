#include "adapters/inbound/api/streams/change_feed.h"

#include <gtest/gtest.h>

#include <thread>

#include "adapters/inbound/api/streams/change_stream.h"
#include "tests/support/hand_controller.h"

namespace gp {
namespace {

const User kEva{"eva", 54'322, 54'322};

struct FeedRig : HandController {
  ChangeFeed feed;

  explicit FeedRig(size_t kept_max = 20'000) : feed(kept_max) { Start(); }
  void Start() {
    Open();
    loop->AddObserver(&feed);
    SetQueueTo("warm");  // the feed knows its controller from the first commit on
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
    return ChangeStream::Open(feed, caller, request).value();
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
  rig.Delete("other");
  EXPECT_EQ(TextOf(stream.Take()),
            "queue team PRESENT, job job-1 QUEUED, queue other PRESENT, queue other ");
  EXPECT_EQ(TextOf(stream.Take()), "");
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
  const std::string begin = ToText(rig.feed.End());
  for (int weight = 2; weight < 6; ++weight) rig.SetQueueTo("a", weight);
  ChangeStream late = rig.StreamOf(FeedRig::CallerWith({}, kEva), begin);
  EXPECT_EQ(TextOf(late.Take()), "missed  ");
  EXPECT_EQ(TextOf(late.Take()), "");
  rig.SetQueueTo("a", 7);
  EXPECT_EQ(TextOf(late.Take()), "queue a PRESENT");
  // All three that are kept can be had; another controller's numbers mean nothing here, nor do
  // those to come.
  const FeedPlace end = rig.feed.End();
  EXPECT_FALSE(rig.feed.After({end.epoch, end.number - 3}, 10).missed);
  EXPECT_TRUE(rig.feed.After({end.epoch, end.number - 4}, 10).missed);
  EXPECT_TRUE(rig.feed.After({end.epoch, end.number + 1}, 10).missed);
  EXPECT_TRUE(rig.feed.After({end.epoch + 1, end.number}, 10).missed);
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
  for (const char* since : {"x", "1", "1-", "-1", "1-x", "1-2-3", "99999999999999999999-1"}) {
    request.set_since(since);
    EXPECT_EQ(ChangeStream::Open(rig.feed, {}, request).error().code, ErrorCode::kInvalidArgument)
        << since;
  }
  request.clear_since();
  request.add_kinds("jobs");
  EXPECT_EQ(ChangeStream::Open(rig.feed, {}, request).error().code, ErrorCode::kInvalidArgument);
}

TEST(ChangeFeed, WakesWhoeverWaits) {
  FeedRig rig;
  int told = 0;
  rig.feed.OnNews([&] { ++told; });
  const FeedPlace end = rig.feed.End();
  EXPECT_FALSE(rig.feed.Await(end, Duration::Milliseconds(1)));
  bool woken = false;
  std::thread waiting([&] { woken = rig.feed.Await(end, Duration::Minutes(60)); });
  rig.SetQueueTo("a");
  waiting.join();
  EXPECT_TRUE(woken);
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace gp
