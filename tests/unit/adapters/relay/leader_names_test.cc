#include "adapters/inbound/relay/leader_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>

namespace gp {
namespace {

using ::testing::ElementsAre;
using Addresses = LeaderNames::Addresses;

const Addresses kHere = LookUp({"127.0.0.1", "7070"}, false);

std::string TextOf(const Addresses& found) {
  return found ? found->front().ToString() : found.error().message;
}

// Name servers that the test plays: an answer comes when it says so.
struct LeaderNamesTest : testing::Test {
  ~LeaderNamesTest() override { EndLoop(); }
  void EndLoop() {
    loop.Stop();
    if (thread.joinable()) thread.join();
  }
  void Find(const std::string& address, int times = 1) {
    std::promise<void> asked;
    ASSERT_TRUE(loop.Post([&] {
      for (int i = 0; i < times; ++i)
        names.Find(address, [this](const Addresses& found) {
          all.push_back(TextOf(found));
          ++count;
          count.notify_all();
        });
      asked.set_value();
    }));
    asked.get_future().wait();
  }
  void AwaitFound(int wanted) {
    for (int now = count; now < wanted; now = count) count.wait(now);
  }
  void Answer(const Addresses& answer) {
    const int asked_before = answered++;
    answers[asked_before].set_value(answer);
  }

  std::array<std::promise<Addresses>, 2> answers;
  std::atomic<int> asked = 0;
  int answered = 0;
  std::atomic<int> count = 0;
  std::vector<std::string> all;  // the loop's thread's
  EventLoop loop;
  LeaderNames names{loop, [this](const HostPort&) {
                      return answers.at(static_cast<size_t>(asked++)).get_future().get();
                    }};
  std::thread thread{[this] { loop.Run(); }};
};

TEST_F(LeaderNamesTest, OneThreadAsksForAll) {
  Find("c1:7070", 3);
  EXPECT_EQ(count, 0);
  Answer(kHere);
  AwaitFound(3);
  Find("c1:7070");
  EXPECT_EQ(count, 4) << "it is known for a while";
  EXPECT_EQ(asked, 1);
  EndLoop();
  EXPECT_THAT(all, testing::Each("127.0.0.1:7070"));
}

TEST_F(LeaderNamesTest, AnIpAddressIsNotAskedFor) {
  Find("127.0.0.1:7070");
  Find("[::1]:7070");
  Find("nonsense");
  EXPECT_EQ(asked, 0);
  EndLoop();
  EXPECT_THAT(all, ElementsAre("127.0.0.1:7070", "[::1]:7070", testing::HasSubstr("HOST:PORT")));
}

TEST_F(LeaderNamesTest, AfterAFailureItIsAskedAgain) {
  Find("c1:7070", 2);
  Answer(Fail(Unavailable("not known")));
  AwaitFound(2);
  Find("c1:7070");
  Answer(kHere);
  AwaitFound(3);
  EndLoop();
  EXPECT_THAT(all, ElementsAre("not known", "not known", "127.0.0.1:7070"));
}

TEST_F(LeaderNamesTest, EachNameIsItsOwn) {
  Find("c1:7070");
  Answer(kHere);
  AwaitFound(1);
  Find("c2:7070");
  Answer(Fail(Unavailable("not known")));
  AwaitFound(2);
  EndLoop();
  EXPECT_THAT(all, ElementsAre("127.0.0.1:7070", "not known"));
}

}  // namespace
}  // namespace gp
