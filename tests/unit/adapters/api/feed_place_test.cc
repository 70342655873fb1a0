#include "adapters/inbound/api/streams/feed_place.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(FeedPlaceTest, IsReadAsItIsWritten) {
  for (const FeedPlace& place : {FeedPlace{1'795'991'283'000'000'000, 1'207, 3}, FeedPlace{7, 0, 0},
                                 FeedPlace{7, 1, 4'294'967'295}}) {
    EXPECT_EQ(ParseFeedPlace(ToText(place)), place);
  }
  EXPECT_EQ(ToText(FeedPlace{7, 12, 3}), "7-12.3");
}

TEST(FeedPlaceTest, OfAnEarlierVersionIsOfNoLineage) {
  EXPECT_EQ(ParseFeedPlace("3-1207"), FeedPlace{});
}

TEST(FeedPlaceTest, AreOrderedByRecordAndThenByObject) {
  EXPECT_LT((FeedPlace{7, 12, 9}), (FeedPlace{7, 13, 0}));
  EXPECT_LT((FeedPlace{7, 13, 0}), (FeedPlace{7, 13, 1}));
}

}  // namespace
}  // namespace gp
