#include "application/agent/controller_session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/outbound/memory/manual_clock.h"

namespace gp {
namespace {

constexpr Duration kLeaseTime = Duration::Seconds(10);
constexpr Duration kPeriod = Duration::Seconds(1);

// Controllers at some addresses, played by the test.
class PlayedLink : public ControlLink {
 public:
  class Connection : public ControlConnection {
   public:
    Connection(PlayedLink& link, size_t at) : address(at), link_(link) {
      link_.open.push_back(this);
    }
    ~Connection() override { std::erase(link_.open, this); }
    uint64_t Send(const JoinNode& one) override {
      link_.joins.push_back(one);
      return ++last_number;
    }
    uint64_t Send(const AgentReport&) override { return ++last_number; }
    uint64_t Send(const GpuNews&) override { return ++last_number; }
    uint64_t Send(const Heartbeat&) override { return heartbeat = ++last_number; }
    uint64_t Send(const MetricParts&) override { return ++last_number; }
    LinkNews TakeNews() override { return std::exchange(news, {}); }

    const size_t address;
    uint64_t last_number = 1;  // the probe
    uint64_t heartbeat = 0;    // the newest one sent
    LinkNews news;

   private:
    PlayedLink& link_;
  };

  const std::vector<std::string>& addresses() const override { return names; }
  std::unique_ptr<ControlConnection> Connect(size_t address) override {
    ++connects;
    return std::make_unique<Connection>(*this, address);
  }
  int EventDescriptor() const override { return -1; }
  void ClearEvent() override {}

  // The newest open connection to an address; nullptr: there is none.
  Connection* At(size_t address) {
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](const Connection* one) { return one->address == address; });
    return found == open.rend() ? nullptr : *found;
  }

  std::vector<std::string> names = {"a"};
  std::vector<Connection*> open;
  std::vector<JoinNode> joins;
  int connects = 0;
};

class ControllerSessionTest : public testing::Test {
 protected:
  void Begin(size_t addresses = 1, ControllerEpoch followed = {}) {
    for (size_t i = 1; i < addresses; ++i)
      link_.names.push_back(std::string(1, static_cast<char>('a' + i)));
    SessionParts parts;
    parts.join = [] { return JoinNode{}; };
    parts.keep_followed = [this](const ControllerEpoch& other) {
      if (keep_fails_) return Status(Fail(Internal("disk full")));
      kept_ = other;
      return Ok();
    };
    parts.warn = [this](const std::string& text) { warnings_.push_back(text); };
    session_ = std::make_unique<ControllerSession>(link_, clock_, parts, 4, followed);
    session_->Turn();
  }
  // The controller at this address answers the probe.
  SessionNews AnswerProbe(size_t address, uint64_t epoch = 1, uint64_t lineage = 1) {
    link_.At(address)->news.probed = ControllerEpoch{lineage, epoch};
    return session_->Turn();
  }
  SessionNews AnswerJoin(size_t address, uint64_t epoch = 1, uint64_t lineage = 1) {
    PlayedLink::Connection& connection = *link_.At(address);
    connection.news.epoch = epoch;
    connection.news.acknowledged = connection.last_number;
    connection.news.lease_time = kLeaseTime;
    connection.news.heartbeat_every = kPeriod;
    connection.news.desired = NodeDesiredState{.epoch = epoch, .lineage = lineage};
    return session_->Turn();
  }
  SessionNews Connect(size_t address, uint64_t epoch = 1, uint64_t lineage = 1) {
    AnswerProbe(address, epoch, lineage);
    return AnswerJoin(address, epoch, lineage);
  }
  // A connected controller stops answering: the first heartbeat is sent now.
  void FallSilent(Duration time) {
    Pass(kPeriod);
    Pass(time);
  }
  SessionNews AnswerHeartbeat(size_t address, bool wants_report = false) {
    PlayedLink::Connection& connection = *link_.At(address);
    connection.news.epoch = 1;
    connection.news.heartbeat = connection.heartbeat;
    connection.news.wants_report = wants_report;
    connection.news.lease_time = kLeaseTime;
    return session_->Turn();
  }
  SessionNews Refuse(size_t address, const std::string& why = "refused") {
    link_.At(address)->news.broken = true;
    link_.At(address)->news.why = why;
    return session_->Turn();
  }
  // Time passes; the owner turns and sends heartbeats as they become due.
  SessionNews Pass(Duration time) {
    constexpr Duration kStep = Duration::Milliseconds(50);
    SessionNews all;
    for (Duration passed; passed < time; passed = passed + kStep) {
      clock_.Advance(kStep);
      const SessionNews news = session_->Turn();
      all.is_lost = all.is_lost || news.is_lost;
      if (session_->IsHeartbeatDue()) session_->SendHeartbeat({});
    }
    return all;
  }
  // A heartbeat was sent just now.
  void PassUntilHeartbeat() { Pass(kPeriod); }
  long Warned(const std::string& part) {
    return std::ranges::count_if(
        warnings_, [&](const std::string& text) { return text.find(part) != std::string::npos; });
  }

  PlayedLink link_;
  ManualClock clock_;
  std::vector<std::string> warnings_;
  ControllerEpoch kept_;
  bool keep_fails_ = false;
  std::unique_ptr<ControllerSession> session_;
};

TEST_F(ControllerSessionTest, TheFirstControllerThatAnswersIsJoined) {
  Begin(3);
  EXPECT_EQ(link_.open.size(), 3U) << "all are probed together";
  EXPECT_TRUE(link_.joins.empty());
  EXPECT_FALSE(AnswerProbe(1).is_new);
  ASSERT_EQ(link_.open.size(), 1U);
  EXPECT_EQ(link_.joins.size(), 1U);
  EXPECT_FALSE(session_->is_connected());
  const SessionNews news = AnswerJoin(1);
  EXPECT_TRUE(news.is_new);
  EXPECT_FALSE(news.is_lost);
  EXPECT_TRUE(news.link.desired);
  EXPECT_TRUE(session_->is_connected());
  Pass(Duration::Milliseconds(900));
  EXPECT_EQ(link_.connects, 3);
}

TEST_F(ControllerSessionTest, AnAddressThatRefusesIsProbedAgainEverMoreSeldom) {
  Begin(2);
  const auto refusals_in = [&](Duration time) {
    const int before = link_.connects;
    for (Duration passed; passed < time; passed = passed + Duration::Milliseconds(50)) {
      if (link_.At(0) != nullptr) Refuse(0);
      Pass(Duration::Milliseconds(50));
    }
    return link_.connects - before;
  };
  EXPECT_GE(refusals_in(Duration::Seconds(1)), 3);
  refusals_in(Duration::Seconds(5));
  EXPECT_LE(refusals_in(Duration::Seconds(10)), 9);
  EXPECT_EQ(Warned("connection to a lost: refused"), 1) << "one trouble is one message";
  // What it said is carried out
  Connect(1);
  session_->Settle();
  Refuse(1, "refused");
  EXPECT_EQ(Warned("connection to b lost: refused"), 1);
  EXPECT_GE(refusals_in(Duration::Seconds(1)), 3);
}

TEST_F(ControllerSessionTest, EachConnectionHasAnIncarnationOfItsOwn) {
  Begin(1, {7, 3});
  Connect(0, 3, 7);
  Refuse(0);
  Pass(Duration::Milliseconds(100));
  AnswerProbe(0, 3, 7);
  ASSERT_EQ(link_.joins.size(), 2U);
  EXPECT_EQ(link_.joins[0].incarnation >> 20, 4U);
  EXPECT_LT(link_.joins[0].incarnation, link_.joins[1].incarnation);
  EXPECT_EQ(link_.joins[1].lineage, 7U);
}

TEST_F(ControllerSessionTest, HeartbeatsGoInThePeriodThatTheControllerNames) {
  Begin();
  Connect(0);
  Pass(Duration::Milliseconds(950));
  EXPECT_EQ(link_.At(0)->heartbeat, 0U);
  Pass(Duration::Milliseconds(50));
  EXPECT_EQ(link_.At(0)->heartbeat, 3U);
  Pass(Duration::Milliseconds(1'200));
  EXPECT_EQ(link_.At(0)->heartbeat, 3U) << "the first one is not answered yet";
  AnswerHeartbeat(0);
  Pass(Duration::Milliseconds(50));
  EXPECT_EQ(link_.At(0)->heartbeat, 4U);
}

TEST_F(ControllerSessionTest, AControllerThatNamesNoPeriodIsNeverTakenForSilent) {
  Begin();
  AnswerProbe(0);
  LinkNews& news = link_.At(0)->news;
  news.epoch = 1;
  news.acknowledged = 2;
  news.lease_time = kLeaseTime;
  session_->Turn();
  EXPECT_EQ(session_->report_every(), Duration::Seconds(2)) << "reports are its heartbeats";
  EXPECT_FALSE(Pass(Duration::Seconds(30)).is_lost);
  EXPECT_EQ(link_.connects, 1);
}

TEST_F(ControllerSessionTest, AnAnswerRenewsFromWhenTheHeartbeatWasSent) {
  Begin();
  AnswerProbe(0);
  const int64_t joined_ns = clock_.BootNs();
  Pass(Duration::Milliseconds(100));
  AnswerJoin(0);
  EXPECT_EQ(session_->lease_until_ns(), joined_ns + kLeaseTime.ns);
  PassUntilHeartbeat();
  const int64_t sent_ns = clock_.BootNs();
  Pass(Duration::Milliseconds(500));
  EXPECT_EQ(session_->lease_until_ns(), joined_ns + kLeaseTime.ns);
  AnswerHeartbeat(0);
  EXPECT_EQ(session_->lease_until_ns(), sent_ns + kLeaseTime.ns);
}

TEST_F(ControllerSessionTest, AHeartbeatOfALostNodeRenewsNothing) {
  Begin();
  const int64_t joined_ns = clock_.BootNs();
  Connect(0);
  PassUntilHeartbeat();
  EXPECT_TRUE(AnswerHeartbeat(0, true).link.wants_report);
  EXPECT_EQ(session_->lease_until_ns(), joined_ns + kLeaseTime.ns);
  EXPECT_FALSE(Pass(Duration::Milliseconds(900)).is_lost) << "but it was an answer";
}

TEST_F(ControllerSessionTest, ASilentControllerStaysUntilAnotherOneAnswers) {
  Begin(2);
  Connect(0);
  FallSilent(Duration::Milliseconds(1'500));
  EXPECT_EQ(link_.open.size(), 1U);
  Pass(Duration::Milliseconds(50));
  EXPECT_EQ(link_.open.size(), 3U) << "all are probed, also the one that is silent";
  EXPECT_EQ(Warned("the controller at a does not answer"), 1);
  EXPECT_TRUE(session_->is_connected());
  EXPECT_EQ(link_.joins.size(), 1U);
  Pass(Duration::Milliseconds(100));
  EXPECT_TRUE(AnswerProbe(1, 2).is_lost);
  EXPECT_EQ(link_.joins.size(), 2U) << "only now";
  EXPECT_TRUE(AnswerJoin(1, 2).is_new);
  ASSERT_EQ(link_.open.size(), 1U);
  EXPECT_EQ(link_.open[0]->address, 1U);
  EXPECT_EQ(kept_, (ControllerEpoch{1, 2}));
}

TEST_F(ControllerSessionTest, WithOneAddressASecondConnectionIsOpened) {
  Begin();
  Connect(0);
  FallSilent(Duration::Milliseconds(1'550));
  EXPECT_EQ(link_.open.size(), 2U);
  EXPECT_TRUE(AnswerProbe(0).is_lost);
  EXPECT_TRUE(AnswerJoin(0).is_new);
  EXPECT_EQ(link_.open.size(), 1U);
}

TEST_F(ControllerSessionTest, AnAnswerEndsTheSearch) {
  Begin(2);
  Connect(0);
  PlayedLink::Connection& first = *link_.At(0);
  FallSilent(Duration::Milliseconds(1'550));
  EXPECT_EQ(link_.open.size(), 3U);
  first.news.epoch = 1;
  first.news.heartbeat = first.heartbeat;
  first.news.lease_time = kLeaseTime;
  EXPECT_FALSE(session_->Turn().is_lost);
  EXPECT_EQ(link_.open, std::vector<PlayedLink::Connection*>{&first});
  EXPECT_EQ(link_.joins.size(), 1U);
}

TEST_F(ControllerSessionTest, AfterHalfALeaseASilentConnectionEnds) {
  Begin(2);
  Connect(0);
  PassUntilHeartbeat();
  EXPECT_FALSE(Pass(Duration::Milliseconds(4'950)).is_lost);
  EXPECT_TRUE(Pass(Duration::Milliseconds(150)).is_lost);
  EXPECT_FALSE(session_->is_connected());
  EXPECT_TRUE(Connect(0).is_new) << "the search goes on";
}

TEST_F(ControllerSessionTest, ItsOwnSleepIsNobodysSilence) {
  Begin(2);
  Connect(0);
  PassUntilHeartbeat();
  clock_.Advance(Duration::Seconds(60));
  session_->Turn();
  EXPECT_EQ(link_.open.size(), 1U);
  EXPECT_TRUE(session_->is_connected());
  Pass(Duration::Milliseconds(600));
  EXPECT_EQ(link_.open.size(), 3U) << "it is awake now, and there is no answer";
}

TEST_F(ControllerSessionTest, AnOlderControllerIsNotJoined) {
  Begin(2, {1, 6});
  AnswerProbe(0, 5);
  EXPECT_TRUE(link_.joins.empty());
  EXPECT_EQ(Warned("the controller is of epoch 5, but this node has followed epoch 6"), 1);
  EXPECT_TRUE(Connect(1, 6).is_new);
  EXPECT_EQ(kept_, ControllerEpoch{}) << "it is stored already";
}

TEST_F(ControllerSessionTest, AnAnswerOfAnEarlierEpochEndsTheConnection) {
  Begin();
  Connect(0, 5);
  const int64_t until_ns = session_->lease_until_ns();
  PassUntilHeartbeat();
  const SessionNews news = AnswerHeartbeat(0);  // of epoch 1
  EXPECT_TRUE(news.is_lost);
  EXPECT_EQ(news.link.heartbeat, 0U);
  EXPECT_EQ(session_->lease_until_ns(), until_ns);
}

TEST_F(ControllerSessionTest, EpochsOfAnotherJournalBeginAgain) {
  Begin(1, {1, 6});
  EXPECT_TRUE(Connect(0, 1, 2).is_new);
  EXPECT_EQ(kept_, (ControllerEpoch{2, 1}));
}

TEST_F(ControllerSessionTest, AControllerThatCannotBeStoredIsNotFollowed) {
  Begin();
  keep_fails_ = true;
  const SessionNews news = Connect(0);
  EXPECT_FALSE(news.is_new || news.link.desired);
  EXPECT_EQ(session_->lease_until_ns(), 0);
  EXPECT_EQ(Warned("disk full"), 1);
  keep_fails_ = false;
  Pass(Duration::Milliseconds(100));
  EXPECT_TRUE(Connect(0).is_new);
}

TEST_F(ControllerSessionTest, AnotherLineageCountsOnlyWhereNoControllerIsFollowed) {
  Begin(2);
  Connect(0);
  FallSilent(Duration::Milliseconds(1'550));
  EXPECT_FALSE(AnswerProbe(1, 9, 9).is_lost);
  EXPECT_EQ(link_.joins.size(), 1U);
  Pass(Duration::Seconds(4));
  ASSERT_FALSE(session_->is_connected());
  AnswerProbe(1, 9, 9);
  ASSERT_EQ(link_.joins.size(), 2U);
  link_.At(1)->news.foreign_to = 9;
  EXPECT_EQ(Refuse(1).link.foreign_to, 9U);
}

TEST_F(ControllerSessionTest, APausedSessionOpensNothing) {
  Begin(2);
  session_->Pause();
  Pass(Duration::Seconds(5));
  EXPECT_TRUE(link_.open.empty());
  session_->Resume();
  session_->Turn();
  EXPECT_EQ(link_.open.size(), 2U);
}

TEST_F(ControllerSessionTest, AProbeWithoutAnAnswerIsRepeated) {
  Begin();
  Pass(Duration::Seconds(5));
  EXPECT_EQ(link_.connects, 1);
  Pass(Duration::Milliseconds(200));
  EXPECT_EQ(link_.connects, 2);
  EXPECT_EQ(Warned("the controller does not answer"), 1);
}

// Thousands of agents may join at once.
TEST_F(ControllerSessionTest, AJoinWaitsAtAControllerThatAnswersProbes) {
  Begin();
  AnswerProbe(0);
  Pass(Duration::Seconds(2));
  AnswerProbe(0);
  EXPECT_EQ(link_.joins.size(), 1U) << "it is the same controller";
  Pass(Duration::Seconds(12));
  EXPECT_EQ(link_.joins.size(), 1U);
  Pass(Duration::Milliseconds(1'200));
  EXPECT_EQ(Warned("connection lost: the controller does not answer the join"), 1);
  Pass(Duration::Seconds(2));
  AnswerProbe(0);
  EXPECT_EQ(link_.joins.size(), 2U);
}

TEST_F(ControllerSessionTest, WhereAJoinWasLostAnotherAddressIsPreferred) {
  Begin(2);
  AnswerProbe(0);
  Pass(Duration::Seconds(18));  // the join is given up, and all are probed again
  ASSERT_NE(link_.At(0), nullptr);
  AnswerProbe(0);
  EXPECT_EQ(link_.joins.size(), 1U) << "the other one may answer yet";
  AnswerProbe(1);
  ASSERT_EQ(link_.joins.size(), 2U);
  ASSERT_EQ(link_.open.size(), 1U);
  EXPECT_EQ(link_.open[0]->address, 1U);
}

TEST_F(ControllerSessionTest, ALowerLeaseTimeCountsFromTheJoin) {
  Begin();
  AnswerProbe(0);
  link_.At(0)->news.lease_time = Duration::Seconds(600);
  link_.At(0)->news.acknowledged = 2;
  link_.At(0)->news.epoch = 1;
  session_->Turn();
  Refuse(0);
  Pass(Duration::Milliseconds(100));
  AnswerProbe(0);
  const int64_t joined_ns = clock_.BootNs();
  AnswerJoin(0);
  EXPECT_EQ(session_->lease_until_ns(), joined_ns + kLeaseTime.ns);
}

// The join is composed without what they say.
TEST_F(ControllerSessionTest, OrdersOfAConnectionThatIsLeftAreDropped) {
  Begin(2);
  Connect(0);
  PlayedLink::Connection& first = *link_.At(0);
  FallSilent(Duration::Milliseconds(1'550));
  first.news.epoch = 1;
  first.news.desired = NodeDesiredState{.epoch = 1, .lineage = 1};
  first.news.foreign_to = 9;
  const SessionNews news = AnswerProbe(1);
  EXPECT_TRUE(news.is_lost);
  EXPECT_FALSE(news.link.desired);
  EXPECT_EQ(news.link.foreign_to, 0U);
}

TEST_F(ControllerSessionTest, AJoinIsGivenUpForANewerController) {
  Begin(2, {1, 1});
  AnswerProbe(0);
  Pass(Duration::Seconds(2));
  AnswerProbe(1, 2);
  EXPECT_EQ(link_.joins.size(), 2U);
}

}  // namespace
}  // namespace gp
