#include "application/agent/metric_feed.h"

#include <gtest/gtest.h>

#include <set>

namespace gp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Files by path; none is dropped.
class FakeFiles : public LogReader {
 public:
  Result<LogSlice> Read(const std::string& path, int64_t offset, int64_t bytes_max) override {
    const std::string& all = bytes[path];
    const auto from = std::min(static_cast<size_t>(offset), all.size());
    return LogSlice{all.substr(from, static_cast<size_t>(bytes_max)), static_cast<int64_t>(from),
                    static_cast<int64_t>(all.size())};
  }
  Result<int64_t> OffsetAt(const std::string&, Instant) override { return 0; }

  std::map<std::string, std::string> bytes;
};

class MetricFeedTest : public testing::Test {
 protected:
  // The parts that are sent within the next second, and the controller's answer to them.
  std::vector<MetricPart> Turn() {
    now_ns_ += kSecond;
    const auto parts = feed_.Next(now_ns_);
    return parts ? parts->parts : std::vector<MetricPart>();
  }
  void Answer(int64_t end, const MetricSource& source) { feed_.TakeKept({{source, end}}); }
  // The controller has nothing yet, and takes metrics.
  void Connect() {
    feed_.Begin();
    feed_.Allow();
  }

  const MetricSource one_{{1}, 1, 0};
  const MetricSource other_{{2}, 1, 0};
  FakeFiles files_;
  MetricFeed feed_{files_, [](const MetricSource& source) { return KeyOf(source.job); }};
  std::string& file_ = files_.bytes[KeyOf(JobId{1})];
  int64_t now_ns_ = 0;
};

TEST_F(MetricFeedTest, AsksFirstAndThenSendsWhatIsNew) {
  feed_.Watch({{one_, true}});
  Connect();
  EXPECT_TRUE(Turn().empty());
  file_ = "a\nb\n";
  auto parts = Turn();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].bytes, "");
  EXPECT_EQ(parts[0].source, one_);
  Answer(2, one_);
  parts = Turn();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].offset, 2);
  EXPECT_EQ(parts[0].bytes, "b\n");
  Answer(4, one_);
  EXPECT_TRUE(Turn().empty());
}

TEST_F(MetricFeedTest, OnlyToAControllerThatTakesThem) {
  file_ = "a\n";
  feed_.Watch({{one_, true}});
  EXPECT_TRUE(Turn().empty());
  Connect();
  EXPECT_FALSE(Turn().empty());
  feed_.Begin();
  EXPECT_TRUE(Turn().empty());
}

TEST_F(MetricFeedTest, OneMessageAtATimeAndASecond) {
  file_ = "a\n";
  feed_.Watch({{one_, true}});
  Connect();
  EXPECT_FALSE(Turn().empty());
  EXPECT_TRUE(Turn().empty());  // no answer yet
  Answer(0, one_);
  EXPECT_FALSE(Turn().empty());
  Answer(2, one_);
  file_ += "b\n";
  EXPECT_FALSE(feed_.Next(now_ns_ + kSecond / 2).has_value());
  EXPECT_FALSE(Turn().empty());
}

TEST_F(MetricFeedTest, WithoutAnAnswerItIsSentAgain) {
  file_ = "a\n";
  feed_.Watch({{one_, true}});
  Connect();
  EXPECT_FALSE(Turn().empty());
  now_ns_ += 29 * kSecond;
  EXPECT_FALSE(Turn().empty());
}

TEST_F(MetricFeedTest, AnotherControllerIsAskedAgain) {
  file_ = "a\nb\n";
  feed_.Watch({{one_, true}});
  Connect();
  Turn();
  Answer(4, one_);
  EXPECT_TRUE(Turn().empty());
  Connect();
  const auto parts = Turn();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].bytes, "");
}

TEST_F(MetricFeedTest, HalfALineWaits) {
  file_ = "a\nb";
  feed_.Watch({{one_, true}});
  Connect();
  Turn();
  Answer(0, one_);
  EXPECT_EQ(Turn().at(0).bytes, "a\n");
  Answer(2, one_);
  EXPECT_TRUE(Turn().empty());
}

TEST_F(MetricFeedTest, TheRestOfAnEndedRankIsSent) {
  file_ = "a\n";
  feed_.Watch({{one_, true}});
  feed_.Watch({});
  Connect();
  EXPECT_EQ(Turn().size(), 1u);
  Answer(0, one_);
  EXPECT_EQ(Turn().at(0).bytes, "a\n");
  Answer(2, one_);
  EXPECT_TRUE(Turn().empty());
  file_ += "b\n";  // it was let go
  EXPECT_TRUE(Turn().empty());
}

TEST_F(MetricFeedTest, AllRanksHaveTheirTurn) {
  file_ = "a\n";
  files_.bytes[KeyOf(JobId{2})] = "b\n";
  feed_.Watch({{one_, true}, {other_, true}});
  Connect();
  const auto parts = Turn();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].source, other_);
}

TEST_F(MetricFeedTest, ManyBusyRanksTakeTurns) {
  std::map<MetricSource, bool> ranks;
  for (uint64_t job = 1; job <= 40; ++job) {
    ranks[{{job}, 1, 0}] = true;
    files_.bytes[KeyOf(JobId{job})] = "a\n";
  }
  feed_.Watch(ranks);
  Connect();
  std::set<MetricSource> sent;
  for (int turn = 0; turn < 3; ++turn) {
    const auto parts = Turn();
    EXPECT_LE(parts.size(), 16u);
    for (const MetricPart& part : parts) {
      sent.insert(part.source);
      Answer(0, part.source);  // there is always more
    }
  }
  EXPECT_EQ(sent.size(), 40u);
}

// A controller whose file was cut, or that has more than the node, is not sent what does not fit.
TEST_F(MetricFeedTest, AControllerThatHasMoreIsSentNothing) {
  file_ = "a\n";
  feed_.Watch({{one_, true}});
  Connect();
  Turn();
  Answer(100, one_);
  EXPECT_TRUE(Turn().empty());
}

}  // namespace
}  // namespace gp
