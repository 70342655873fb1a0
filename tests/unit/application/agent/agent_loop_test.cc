#include "application/agent/agent_loop.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "adapters/outbound/memory/manual_clock.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// A controller's end of the line, played by the test.  Thread-safe: the loop runs on its own.
class FakeLink : public ControlLink {
 public:
  const std::vector<std::string>& addresses() const override { return addresses_; }
  // Its probe is answered at once.
  std::unique_ptr<ControlConnection> Connect(size_t) override {
    const std::lock_guard lock(mutex_);
    number_ = 0;
    news_ = {};
    news_.probed = ControllerEpoch{UINT64_MAX, 1};
    Signal();
    return std::make_unique<Connection>(*this);
  }
  int EventDescriptor() const override { return fd_; }
  void ClearEvent() override {
    uint64_t drained = 0;
    (void)!read(fd_, &drained, sizeof drained);
  }

  void Tell(const LinkNews& news) {
    const std::lock_guard lock(mutex_);
    news_ = news;
    Signal();
  }
  template <typename F>
  auto With(F look) {
    const std::lock_guard lock(mutex_);
    return look();
  }

  std::vector<JoinNode> joins;
  std::vector<AgentReport> reports;
  std::vector<GpuNews> gpu_news;
  std::vector<Heartbeat> heartbeats;
  std::vector<MetricParts> metrics;

 private:
  // One connection is open at a time.
  class Connection : public ControlConnection {
   public:
    explicit Connection(FakeLink& link) : link_(link) {}
    uint64_t Send(const JoinNode& join) override { return link_.Add(link_.joins, join); }
    uint64_t Send(const AgentReport& report) override { return link_.Add(link_.reports, report); }
    uint64_t Send(const GpuNews& news) override { return link_.Add(link_.gpu_news, news); }
    uint64_t Send(const Heartbeat& one) override { return link_.Add(link_.heartbeats, one); }
    uint64_t Send(const MetricParts& one) override { return link_.Add(link_.metrics, one); }
    LinkNews TakeNews() override {
      const std::lock_guard lock(link_.mutex_);
      return std::exchange(link_.news_, LinkNews{});
    }

   private:
    FakeLink& link_;
  };
  template <typename Message>
  uint64_t Add(std::vector<Message>& messages, const Message& message) {
    const std::lock_guard lock(mutex_);
    messages.push_back(message);
    return ++number_;
  }

  void Signal() const {
    const uint64_t one = 1;
    (void)!write(fd_, &one, sizeof one);
  }

  const std::vector<std::string> addresses_ = {"controller"};
  std::mutex mutex_;
  LinkNews news_;
  uint64_t number_ = 0;
  int fd_ = eventfd(0, EFD_NONBLOCK);
};

class FakeRunner : public AttemptRunner {
 public:
  Status Start(const LaunchSpec& spec) override {
    const std::lock_guard lock(mutex_);
    if (fail_start) return Fail(Internal("no room"));
    launches.push_back(spec);
    AttemptStatus status;
    status.key = spec.key;
    status.phase = AttemptPhase::kRunning;
    attempts[spec.key] = status;
    return Ok();
  }
  void Renew(const std::string& key, int64_t deadline) override {
    const std::lock_guard lock(mutex_);
    renewed[key] = deadline;
  }
  void Stop(const std::string& key, Duration grace) override {
    const std::lock_guard lock(mutex_);
    stops.emplace_back(key, grace);
    attempts[key].phase = AttemptPhase::kExited;
    attempts[key].cause = EndCause::kStopped;
  }
  void FixImage(const std::string& key, const std::string& digest) override {
    const std::lock_guard lock(mutex_);
    fixed.emplace_back(key, digest);
  }
  void Discard(const std::string& key, const std::string& directory,
               const std::vector<std::string>& paths) override {
    const std::lock_guard lock(mutex_);
    discards.push_back({key, directory, paths});
  }
  std::vector<AttemptStatus> Observe() override {
    const std::lock_guard lock(mutex_);
    std::vector<AttemptStatus> all;
    for (const auto& [key, status] : attempts) all.push_back(status);
    return all;
  }
  Status Forget(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    attempts.erase(key);
    return Ok();
  }
  bool IsEmpty() override {
    const std::lock_guard lock(mutex_);
    return attempts.empty();
  }
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec&) override {
    return Fail(NotFound(key));
  }
  int EventDescriptor() const override { return fd_; }
  template <typename F>
  auto With(F look) {
    const std::lock_guard lock(mutex_);
    return look();
  }

  bool fail_start = false;
  std::vector<LaunchSpec> launches;
  std::map<std::string, int64_t> renewed;
  std::vector<std::pair<std::string, Duration>> stops;
  std::map<std::string, AttemptStatus> attempts;
  struct Discarded {
    std::string key;
    std::string directory;
    std::vector<std::string> paths;
  };
  std::vector<Discarded> discards;
  std::vector<std::pair<std::string, std::string>> fixed;  // images, by key

 private:
  std::mutex mutex_;
  int fd_ = eventfd(0, EFD_NONBLOCK);
};

class NoLogs : public LogReader {
 public:
  Result<LogSlice> Read(const std::string&, int64_t offset, int64_t) override {
    return LogSlice{"", offset, offset};
  }
  // A byte was written each nanosecond.
  Result<int64_t> OffsetAt(const std::string&, Instant since) override { return since.ns; }
};

class RecordedLog : public OperatorLog {
 public:
  void Write(LogLevel, const std::string& text) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(text);
  }
  long Count(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return std::ranges::count(texts_, text);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

class AgentLoopTest : public testing::Test {
 protected:
  AgentLoopTest() {
    AgentOptions options;
    options.facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0}));
    options.incarnation = 4;
    options.fresh = true;
    options.launch.state_directory = "/s";
    options.keep_followed = [this](const ControllerEpoch& followed) {
      kept_ = followed.lineage;
      ++keeps_;
      return keep_fails_ ? Status(Fail(Internal("disk full"))) : Ok();
    };
    options.log = &log_;
    options.launch.resolve_user = [](const User& user) {
      return HostUser{user.name, user.uid, user.gid, {}, "/", ""};
    };
    loop_ = std::make_unique<AgentLoop>(options, link_, runner_, logs_, nullptr, clock_);
    thread_ = std::thread([this] { loop_->Run(); });
  }
  ~AgentLoopTest() override {
    loop_->Stop();
    thread_.join();
  }

  template <typename F>
  void Until(F condition) {
    for (int i = 0; i < 2'000 && !condition(); ++i) usleep(1'000);
    ASSERT_TRUE(condition());
  }
  void UntilJoined(size_t times = 1) {
    Until([&] { return link_.With([&] { return link_.joins.size() >= times; }); });
  }
  static DesiredLease Desired(uint64_t lease, bool stop_on_loss = false,
                              StopOrder stop = StopOrder::kNone) {
    DesiredLease desired_lease;
    desired_lease.lease.id = {lease};
    desired_lease.lease.job = {lease};
    desired_lease.lease.attempt = 1;
    desired_lease.lease.gpus = {{0, kWholeShare, 81'559}};
    desired_lease.lease.stop_on_loss = stop_on_loss;
    desired_lease.lease.stop = stop;
    JobSpec spec;
    spec.program.command = {"/bin/true"};
    spec.policy.grace = Duration::Seconds(3);
    desired_lease.spec = std::make_shared<const JobSpec>(spec);
    desired_lease.node_names = {"n1"};
    return desired_lease;
  }
  // Names every lease up to the newest ordered one as given out.
  void Tell(uint64_t acknowledged, std::vector<DesiredLease> leases, uint64_t epoch = 1) {
    LinkNews news;
    LeaseId last{0};
    for (const DesiredLease& desired_lease : leases) last = std::max(last, desired_lease.lease.id);
    news.epoch = epoch;
    news.acknowledged = acknowledged;
    news.lease_time = Duration::Seconds(10);
    news.heartbeat_every = heartbeat_every_;
    news.desired = NodeDesiredState{epoch, 1, last, std::move(leases), lineage_};
    link_.Tell(news);
  }
  long Said(const std::string& text) { return log_.Count("agent: " + text); }
  size_t Launches() {
    return runner_.With([&] { return runner_.launches.size(); });
  }

  Duration heartbeat_every_;  // 0: the agent only reports
  uint64_t lineage_ = 0;      // of the desired state that Tell sends
  std::atomic<uint64_t> kept_ = 0;
  std::atomic<bool> keep_fails_ = false;
  std::atomic<int> keeps_ = 0;
  RecordedLog log_;
  ManualClock clock_;
  FakeLink link_;
  FakeRunner runner_;
  NoLogs logs_;
  std::unique_ptr<AgentLoop> loop_;
  std::thread thread_;
};

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
      link_.Tell({});
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
    link_.Tell({});  // wakes it
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
  usleep(20'000);
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

TEST_F(AgentLoopTest, AfterABreakItJoinsAgainWithAllItHolds) {
  UntilJoined();
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
  LinkNews broken;
  broken.broken = true;
  link_.Tell(broken);
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(Duration::Milliseconds(50));
    usleep(5'000);
    LinkNews nothing;
    link_.Tell(nothing);  // wakes the loop: its clock is ours
  }
  UntilJoined(2);
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
