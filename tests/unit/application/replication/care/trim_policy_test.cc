#include "application/replication/care/trim_policy.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

// Chunks of ten records and a hundred bytes each.
std::deque<ChunkPlace> TenEach(uint64_t chunks) {
  std::deque<ChunkPlace> places;
  for (uint64_t i = 0; i < chunks; ++i) places.push_back({i * 10 + 1, 100});
  return places;
}

constexpr TrimLimits kByRecords{.keep_records = 30, .keep_bytes = 100'000, .most_bytes = 100'000};

TEST(TrimPolicy, KeepsTheNewestRecords) {
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 100, kByRecords), 7u);
  EXPECT_EQ(CountOfSpareChunks(TenEach(3), 30, 30, kByRecords), 0u);
  EXPECT_EQ(CountOfSpareChunks(TenEach(4), 40, 40, kByRecords), 1u);
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 95, 95, kByRecords), 6u)
      << "of the chunk from 61 to 70, the records from 66 on stay";
}

TEST(TrimPolicy, KeepsAsManyBytes) {
  TrimLimits limits = kByRecords;
  limits.keep_bytes = 250;
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 100, limits), 8u);
  limits.keep_bytes = 300;
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 100, limits), 7u);
}

TEST(TrimPolicy, KeepsWhatALiveMemberLacks) {
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 50, kByRecords), 5u);
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 49, kByRecords), 4u) << "half a chunk is lacked";
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 0, kByRecords), 0u);
}

TEST(TrimPolicy, TheLogNeverGrowsBeyondItsLimit) {
  TrimLimits limits = kByRecords;
  limits.most_bytes = 650;
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 0, limits), 4u);
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 50, limits), 5u);
}

TEST(TrimPolicy, TheNewestChunkStays) {
  const TrimLimits nothing{.keep_records = 0, .keep_bytes = 0, .most_bytes = 0};
  EXPECT_EQ(CountOfSpareChunks(TenEach(10), 100, 100, nothing), 9u);
  EXPECT_EQ(CountOfSpareChunks(TenEach(1), 10, 10, nothing), 0u);
  EXPECT_EQ(CountOfSpareChunks({}, 7, 7, nothing), 0u);
}

}  // namespace
}  // namespace gp
