#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/application/agent/agent_loop_fixture.h"

namespace gp {
namespace {

TEST_F(AgentLoopTest, JoinsStartsWhatIsOrderedAndReportsIt) {
  UntilJoined();
  EXPECT_EQ(link_.With([&] { return link_.joins[0].incarnation >> 20; }), 4u);
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
  Until([&] {
    return link_.With(
        [&] { return !link_.reports.empty() && link_.reports.back().leases.size() == 1; });
  });
}

TEST_F(AgentLoopTest, TheLeaseIsCountedFromWhenTheMessageWasSent) {
  UntilJoined();
  const int64_t sent_ns = clock_.BootNs();
  clock_.Advance(Duration::Seconds(3));  // the answer takes its time
  Tell(1, {Desired(1, true)});
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(runner_.With([&] { return runner_.launches[0].lease_deadline_boot_ns; }),
            sent_ns + Duration::Seconds(10).ns);
}

TEST_F(AgentLoopTest, AnotherJournalFindsNothingOfTheOneBefore) {
  UntilJoined();
  Tell(1, {Desired(1), Desired(2)}, 5);
  Until([&] { return Launches() == 2; });
  LinkNews refused;
  refused.foreign_to = 9;
  refused.broken = true;
  link_.Tell(refused);
  UntilJoined(2);
  EXPECT_TRUE(runner_.With([&] { return runner_.attempts.empty() && runner_.stops.size() == 2; }));
  const JoinNode again = link_.With([&] { return link_.joins[1]; });
  EXPECT_EQ(again.lineage, 9u);
  EXPECT_TRUE(again.fresh);
  EXPECT_TRUE(again.leases.empty());
  // Its lease 1 is another than the one that was here, and its epochs begin again at 1.
  lineage_ = 9;
  Tell(1, {Desired(1)}, 1);
  Until([&] { return Launches() == 3; });
}

TEST_F(AgentLoopTest, ALineageIsKeptBeforeAnythingIsStartedUnderIt) {
  UntilJoined();
  lineage_ = 6;
  keep_fails_ = true;
  Tell(1, {Desired(1)});
  Until([&] { return kept_.load() == 6; });
  EXPECT_EQ(Launches(), 0u);
}

TEST_F(AgentLoopTest, ATroubleThatStaysIsReportedOnceAndTriedEverMoreSeldom) {
  lineage_ = 6;
  keep_fails_ = true;
  std::vector<int64_t> waits_ms;
  for (size_t times = 1; times <= 4; ++times) {
    UntilJoined(times);
    Tell(1, {Desired(1)});
    Until([&] { return keeps_ == static_cast<int>(times); });
    for (waits_ms.push_back(0); link_.With([&] { return link_.joins.size() == times; });
         waits_ms.back() += 10) {
      clock_.Advance(Duration::Milliseconds(10));
      link_.Wake();
      usleep(2'000);
    }
  }
  EXPECT_EQ(Said("connection lost: disk full"), 1);
  EXPECT_GT(waits_ms.back(), 3 * waits_ms.front());
  keep_fails_ = false;
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
}

TEST_F(AgentLoopTest, ATroubleThatComesBackIsReportedAgain) {
  for (const int times : {1, 2}) {
    UntilJoined(static_cast<size_t>(times));
    const size_t reports = link_.With([&] { return link_.reports.size(); });
    Tell(1, {});
    // The desired state is taken
    Until([&] { return link_.With([&] { return link_.reports.size() > reports; }); });
    LinkNews broken;
    broken.broken = true;
    broken.why = "the controller went away";
    link_.Tell(broken);
    Until([&] { return Said("connection lost: the controller went away") == times; });
    clock_.Advance(Duration::Seconds(3));
  }
}

TEST_F(AgentLoopTest, AMoveToAnotherJournalThatFailsWaitsForItsNextTry) {
  UntilJoined();
  keep_fails_ = true;
  LinkNews refused;
  refused.foreign_to = 9;
  refused.broken = true;
  refused.why = "another journal";
  link_.Tell(refused);
  Until([&] { return keeps_ == 1; });
  for (int i = 0; i < 20; ++i) {
    link_.Wake();
    usleep(1'000);
  }
  EXPECT_EQ(keeps_, 1);
  clock_.Advance(Duration::Seconds(3));
  link_.Tell({});
  Until([&] { return keeps_ == 2; });
  EXPECT_EQ(Said("connection lost: disk full"), 1);
  keep_fails_ = false;
  clock_.Advance(Duration::Seconds(3));
  UntilJoined(2);
}

TEST_F(AgentLoopTest, NothingIsStartedOnAWordThatHasRunOut) {
  UntilJoined();
  clock_.Advance(Duration::Seconds(11));  // paused, say: what comes next was sent long ago
  Tell(1, {Desired(1)});
  Until([&] { return link_.With([&] { return !link_.reports.empty(); }); });
  usleep(20'000);
  EXPECT_EQ(Launches(), 0u);
  const uint64_t number = link_.With([&] { return link_.reports.size() + 1; });
  LinkNews answer;
  answer.epoch = 1;
  answer.acknowledged = number;
  answer.lease_time = Duration::Seconds(10);
  link_.Tell(answer);
  Until([&] { return Launches() == 1; });
}

TEST_F(AgentLoopTest, WithoutAnAnswerNothingIsRenewed) {
  UntilJoined();
  Tell(1, {Desired(1, true)});
  Until([&] { return Launches() == 1; });
  clock_.Advance(Duration::Seconds(5));
  Until([&] { return link_.With([&] { return link_.reports.size() >= 2; }); });
  EXPECT_TRUE(runner_.With([&] { return runner_.renewed.empty(); }));
  const uint64_t number = link_.With([&] { return link_.reports.size() + 1; });
  LinkNews answer;
  answer.epoch = 1;
  answer.acknowledged = number;
  answer.lease_time = Duration::Seconds(10);
  link_.Tell(answer);
  Until([&] { return runner_.With([&] { return runner_.renewed.contains("lease-0001"); }); });
}

TEST_F(AgentLoopTest, WhatIsNoLongerOrderedIsKilledThenForgotten) {
  UntilJoined();
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
  Tell(2, {});
  Until([&] { return runner_.With([&] { return runner_.attempts.empty(); }); });
  ASSERT_EQ(runner_.stops.size(), 1u);
  EXPECT_EQ(runner_.stops[0].second.ns, 0);
}

TEST_F(AgentLoopTest, AnOrderToStopIsPassedOnOnceWithTheJobsGrace) {
  UntilJoined();
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
  Tell(2, {Desired(1, false, StopOrder::kGraceful)});
  Until([&] { return runner_.With([&] { return !runner_.stops.empty(); }); });
  Tell(3, {Desired(1, false, StopOrder::kGraceful)});
  usleep(20'000);  // enough for a second stop, were there one
  ASSERT_EQ(runner_.With([&] { return runner_.stops.size(); }), 1u);
  EXPECT_EQ(runner_.stops[0].second, Duration::Seconds(3));
}

TEST_F(AgentLoopTest, SurplusCheckpointsArePassedOnWithAllOrders) {
  UntilJoined();
  DesiredLease desired_lease = Desired(1);
  JobSpec spec = *desired_lease.spec;
  spec.recovery.checkpoint = {.directory = "/ckpt", .keep = 1};
  desired_lease.spec = std::make_shared<const JobSpec>(spec);
  const auto told = [&] { return runner_.With([&] { return runner_.discards; }); };
  uint64_t number = 0;
  const auto tell = [&](const std::vector<std::string>& surplus) {
    desired_lease.surplus = surplus;
    Tell(++number, {desired_lease, Desired(2)});
    Until([&] { return !told().empty() && told().back().paths == surplus; });
  };
  Tell(++number, {desired_lease, Desired(2)});
  Until([&] { return Launches() == 2; });
  tell({"/ckpt/1"});
  tell({"/ckpt/1", "/ckpt/2"});
  tell({});  // written again: nothing is to be removed
  EXPECT_EQ(told().back().key, "lease-0001");
  EXPECT_EQ(told().back().directory, "/ckpt");
  for (const auto& one : told()) EXPECT_EQ(one.key, "lease-0001") << "the other keeps all";
}

TEST_F(AgentLoopTest, ADigestOfAnImageIsReportedAndThatOfTheOrdersPassedOn) {
  UntilJoined();
  Tell(1, {Desired(1), Desired(2)});
  Until([&] { return Launches() == 2; });
  EXPECT_TRUE(runner_.With([&] { return runner_.fixed.empty(); }));
  runner_.With([&] { runner_.attempts["lease-0001"].image_digest = "sha256:1"; });
  Until([&] {
    return link_.With([&] {
      return std::ranges::any_of(link_.reports, [](const AgentReport& report) {
        return !report.leases.empty() && report.leases[0].image_digest == "sha256:1";
      });
    });
  });
  DesiredLease fixed = Desired(1);
  fixed.image_digest = "sha256:1";
  Tell(2, {fixed, Desired(2)});
  Until([&] { return runner_.With([&] { return !runner_.fixed.empty(); }); });
  EXPECT_EQ(runner_.With([&] { return runner_.fixed; }),
            (std::vector<std::pair<std::string, std::string>>{{"lease-0001", "sha256:1"}}));
}

TEST_F(AgentLoopTest, WhatWasStoppedBeforeItStartedIsReportedAsEnded) {
  UntilJoined();
  Tell(1, {Desired(1, false, StopOrder::kGraceful)});
  Until([&] {
    return link_.With([&] {
      return std::ranges::any_of(link_.reports, [](const AgentReport& r) {
        return r.leases.size() == 1 && r.leases[0].ended &&
               r.leases[0].outcome.end == LeaseEnd::kStopped;
      });
    });
  });
  EXPECT_EQ(Launches(), 0u);
}

TEST_F(AgentLoopTest, ALeaseThatCannotBeStartedIsReportedAsAFaultOfThePlatform) {
  runner_.With([&] { return runner_.fail_start = true; });
  UntilJoined();
  Tell(1, {Desired(1)});
  Until([&] {
    return link_.With([&] {
      return std::ranges::any_of(link_.reports, [](const AgentReport& r) {
        return r.leases.size() == 1 && r.leases[0].outcome.end == LeaseEnd::kPlatformFault;
      });
    });
  });
}

TEST_F(AgentLoopTest, ALogIsFollowedAsLongAsItsLeaseMayWrite) {
  const auto looks = [&](uint64_t lease) {
    int count = 0;
    LogRequest request;
    request.lease = {lease};
    request.follow = true;
    EXPECT_TRUE(loop_->ReadLog(request, [&](int64_t, const std::string&) { return ++count < 3; }));
    return count;
  };
  EXPECT_EQ(looks(7), 3);  // nothing is known yet: it may be on its way
  UntilJoined();
  Tell(1, {Desired(5)});
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(looks(5), 3);  // runs
  EXPECT_EQ(looks(4), 1);  // was given out and is not here: over
  EXPECT_EQ(looks(6), 3);  // newer than the desired state
  runner_.With([&] { return runner_.attempts["lease-0005"].phase = AttemptPhase::kExited; });
  Until([&] { return looks(5) == 1; });
}

TEST_F(AgentLoopTest, ALogIsReadFromAnOffsetOrATime) {
  const auto begins = [&](LogRequest request) {
    int64_t begin = -1;
    EXPECT_TRUE(loop_->ReadLog(request, [&](int64_t offset, const std::string&) {
      begin = offset;
      return false;
    }));
    return begin;
  };
  LogRequest request;
  request.offset = 100;
  EXPECT_EQ(begins(request), 100);
  request.since = {7'000};
  EXPECT_EQ(begins(request), 7'000);
}

TEST_F(AgentLoopTest, OrdersOfAnOlderControllerAreIgnored) {
  UntilJoined();
  Tell(1, {}, 7);
  usleep(20'000);
  Tell(2, {Desired(1)}, 6);
  usleep(50'000);
  EXPECT_EQ(Launches(), 0u);
  clock_.Advance(Duration::Seconds(1));
  UntilJoined(2);
  Tell(1, {Desired(1)}, 8);
  Until([&] { return Launches() == 1; });
}

TEST_F(AgentLoopTest, BetweenReportsItSendsHeartbeats) {
  heartbeat_every_ = Duration::Seconds(1);
  UntilJoined();
  Tell(1, {Desired(1, true)});
  Until([&] { return Launches() == 1; });
  Until([&] {
    return link_.With(
        [&] { return !link_.reports.empty() && !link_.reports.back().leases.empty(); });
  });
  const size_t reports = link_.With([&] { return link_.reports.size(); });
  clock_.Advance(Duration::Milliseconds(1'100));
  Until([&] { return link_.With([&] { return link_.heartbeats.size() == 1; }); });
  EXPECT_EQ(link_.With([&] { return link_.reports.size(); }), reports);
  EXPECT_TRUE(runner_.With([&] { return runner_.renewed.empty(); }));
  LinkNews answer;
  answer.epoch = 1;
  answer.heartbeat = reports + 2;
  answer.lease_time = Duration::Seconds(10);
  link_.Tell(answer);
  Until([&] { return runner_.With([&] { return runner_.renewed.contains("lease-0001"); }); });
  // A node that counts as lost reports at once.
  answer.wants_report = true;
  link_.Tell(answer);
  Until([&] { return link_.With([&] { return link_.reports.size() == reports + 1; }); });
}

TEST_F(AgentLoopTest, WithoutChangesItReportsOncePerLeaseTime) {
  heartbeat_every_ = Duration::Seconds(1);
  UntilJoined();
  Tell(1, {});
  Until([&] { return link_.With([&] { return link_.reports.size() == 1; }); });
  for (uint64_t number = 3; number < 12; ++number) {
    clock_.Advance(Duration::Milliseconds(1'010));
    Until([&] { return link_.With([&] { return link_.heartbeats.size() == number - 2; }); });
    LinkNews answer;
    answer.epoch = 1;
    answer.heartbeat = number;
    answer.lease_time = Duration::Seconds(10);
    link_.Tell(answer);
    usleep(2'000);
  }
  EXPECT_EQ(link_.With([&] { return link_.reports.size(); }), 1U);
  clock_.Advance(Duration::Seconds(1));
  Until([&] { return link_.With([&] { return link_.reports.size() == 2; }); });
}

// A job that is staged, or whose output is copied, runs nothing that could use its GPUs.
TEST_F(AgentLoopTest, AnAttemptIsMeteredOnlyWhileItsProgramRuns) {
  runner_.With([&] {
    runner_.first_phase = AttemptPhase::kStarting;
    runner_.use.cpu_ms = 0;
  });
  UntilJoined();
  uint64_t message = 0;
  const auto metered_ms = [&] {
    const size_t reports = link_.With([&] { return link_.reports.size(); });
    clock_.Advance(Duration::Seconds(1));
    Tell(++message, {Desired(1)});
    Until([&] { return link_.With([&] { return link_.reports.size() > reports; }); });
    return link_.With([&] {
      const auto& leases = link_.reports.back().leases;
      return leases.empty() ? 0 : leases.back().use.cpu_seen_ms;
    });
  };
  metered_ms();
  Until([&] { return Launches() == 1; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(metered_ms(), 0) << "it is staged";
  runner_.With([&] { runner_.attempts["lease-0001"].phase = AttemptPhase::kRunning; });
  for (int i = 0; i < 4; ++i) metered_ms();
  EXPECT_GT(metered_ms(), 0);
  runner_.With([&] { runner_.attempts["lease-0001"].is_copied_last = true; });
  metered_ms();
  const int64_t before = metered_ms();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(metered_ms(), before) << "it is copied";
}

TEST_F(AgentLoopTest, ImagesAreReportedWhenTheyChangeAndToEachController) {
  UntilJoined();
  const HeldImage image{"reg.lab/a:v1", "sha256:1", 7, Instant{8}, {"lease-1"}};
  uint64_t message = 0;
  const auto next_report = [&] {
    const size_t reports = link_.With([&] { return link_.reports.size(); });
    Tell(++message, {});
    Until([&] { return link_.With([&] { return link_.reports.size() > reports; }); });
    return link_.With([&] { return link_.reports.back().images; });
  };
  next_report();
  EXPECT_FALSE(next_report());
  {
    const std::lock_guard lock(held_mutex_);
    held_ = {image};
  }
  EXPECT_EQ(next_report(), std::vector<HeldImage>{image});
  EXPECT_FALSE(next_report());
  LinkNews broken;
  broken.broken = true;
  link_.Tell(broken);
  const auto is_told_again = [&] {
    return link_.With([&] {
      return std::ranges::count_if(link_.reports, [&](const AgentReport& report) {
               return report.images == std::vector<HeldImage>{image};
             }) == 2;
    });
  };
  for (int i = 0; i < 2'000 && !is_told_again(); ++i) {
    clock_.Advance(Duration::Milliseconds(50));
    usleep(5'000);
    if (link_.With([&] { return link_.joins.size(); }) == 2) {
      Tell(1, {});
    } else {
      link_.Wake();  // its clock is ours
    }
  }
  EXPECT_TRUE(is_told_again());
}

TEST_F(AgentLoopTest, AfterABreakItJoinsAgainWithAllItHolds) {
  UntilJoined();
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
  LinkNews broken;
  broken.broken = true;
  link_.Tell(broken);
  Until([&] {
    clock_.Advance(Duration::Milliseconds(50));
    link_.Wake();  // its clock is ours
    return link_.With([&] { return link_.joins.size() >= 2; });
  });
  EXPECT_EQ(link_.With([&] { return link_.joins.back().leases.size(); }), 1u);
  // What still lies on the old connection is stale for the controller.
  EXPECT_GT(link_.joins[1].incarnation, link_.joins[0].incarnation);
  EXPECT_TRUE(link_.joins[0].fresh);
  EXPECT_FALSE(link_.joins[1].fresh) << "it has been given work";
  // Without a desired state of the new connection nothing is killed.
  EXPECT_TRUE(runner_.With([&] { return runner_.stops.empty(); }));
}

}  // namespace
}  // namespace gp
