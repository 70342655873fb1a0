#include "application/control/inbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace gp {
namespace {

std::vector<InboxItem> Items(int count) {
  std::vector<InboxItem> items;
  for (int i = 0; i < count; ++i)
    items.push_back(CommandItem{"user:ana", std::to_string(i), Tick{}, {}});
  return items;
}

constexpr Duration kForEver = Duration::Minutes(60);

TEST(Inbox, GivesWhatWasPushedInOrderAndNoMoreThanAskedFor) {
  Inbox inbox(10);
  ASSERT_TRUE(inbox.Push(Items(3)));
  const auto two = inbox.Take(2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(std::get<CommandItem>(two[1]).request.id, "1");
  EXPECT_EQ(std::get<CommandItem>(inbox.Take(2).at(0)).request.id, "2");
  EXPECT_TRUE(inbox.Take(2).empty());
}

// Each of these would wait for an hour.
TEST(Inbox, AwaitEndsWithAPushWhoeverTookIt) {
  Inbox inbox(10);
  ASSERT_TRUE(inbox.Push(Items(1)));
  (void)inbox.Take(10);
  inbox.Await(kForEver);
  std::thread later([&] { EXPECT_TRUE(inbox.Push(Items(1))); });
  inbox.Await(kForEver);
  later.join();
}

TEST(Inbox, AwaitEndsWhileSomethingIsLeft) {
  Inbox inbox(10);
  ASSERT_TRUE(inbox.Push(Items(2)));
  inbox.Await(kForEver);
  (void)inbox.Take(1);
  inbox.Await(kForEver);
  EXPECT_EQ(inbox.Take(10).size(), 1U);
}

TEST(Inbox, AwaitEndsWithTheTimeAndWithClose) {
  Inbox inbox(10);
  inbox.Await(Duration{});
  EXPECT_TRUE(inbox.Take(10).empty());
  inbox.Close();
  inbox.Await(kForEver);
  EXPECT_TRUE(inbox.closed());
}

TEST(Inbox, FullOrClosedItRefusesAll) {
  Inbox inbox(2);
  ASSERT_TRUE(inbox.Push(Items(1)));
  EXPECT_EQ(inbox.Push(Items(2)).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(inbox.Take(10).size(), 1U);
  inbox.Close();
  EXPECT_EQ(inbox.Push(Items(1)).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace gp
