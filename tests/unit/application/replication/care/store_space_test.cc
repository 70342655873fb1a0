#include "application/replication/care/store_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

class Lines : public OperatorLog {
 public:
  void Write(LogLevel, const std::string& text) override { all.push_back(text); }
  std::vector<std::string> all;
};

class StoreSpaceTest : public testing::Test {
 protected:
  bool AcceptsAt(uint64_t mib, uint64_t file_mib = 0) {
    store.bytes = {mib << 20, (file_mib == 0 ? mib : file_mib) << 20};
    EXPECT_TRUE(space.Look());
    return space.AcceptsJobs().has_value();
  }

  FaultyStore store;
  Lines log;
  StoreSpace space{store, uint64_t{1000} << 20, log};
};

TEST_F(StoreSpaceTest, AcceptsJobsUntilItIsNearlyFull) {
  EXPECT_TRUE(space.AcceptsJobs());
  EXPECT_TRUE(AcceptsAt(799));
  EXPECT_FALSE(AcceptsAt(801));
  EXPECT_FALSE(AcceptsAt(751));
  EXPECT_TRUE(AcceptsAt(749));
  EXPECT_TRUE(AcceptsAt(799));
}

TEST_F(StoreSpaceTest, AFileNearTheQuotaIsFullWhateverIsInUse) {
  EXPECT_TRUE(AcceptsAt(100, 899));
  EXPECT_FALSE(AcceptsAt(100, 901));
  EXPECT_THAT(space.AcceptsJobs().error().message, testing::HasSubstr("defrag"));
  EXPECT_TRUE(AcceptsAt(100, 100)) << "it was defragmented";
}

TEST_F(StoreSpaceTest, SaysWhatIsTheMatter) {
  AcceptsAt(850);
  AcceptsAt(860);
  const Status refused = space.AcceptsJobs();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("860 of 1000 MiB are in use"));
  AcceptsAt(10);
  EXPECT_THAT(log.all, testing::ElementsAre(testing::HasSubstr("850 of 1000 MiB"),
                                            testing::HasSubstr("has room again")));
}

TEST_F(StoreSpaceTest, WithoutAnAnswerWhatWasSeenCounts) {
  AcceptsAt(850);
  store.reads_fail = true;
  EXPECT_EQ(space.Look().error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(space.AcceptsJobs());
}

}  // namespace
}  // namespace gp
