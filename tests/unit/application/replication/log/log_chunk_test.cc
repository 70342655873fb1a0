#include "application/replication/log/log_chunk.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

LogChunk Chunk() {
  const std::vector<std::string> records = {"one", std::string("\0two", 4), ""};
  return {7, 41, 99, ChainAfter(99, records), 5, records};
}

TEST(LogChunk, IsReadAsItWasWritten) {
  const LogChunk chunk = Chunk();
  EXPECT_EQ(chunk.last(), 43u);
  EXPECT_EQ(DecodeChunk(EncodeChunk(chunk)), chunk);
}

TEST(LogChunk, DamageOfAnyByteIsFound) {
  const std::string whole = EncodeChunk(Chunk());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(DecodeChunk(damaged)) << "byte " << i << " bit " << bit;
    }
    EXPECT_FALSE(DecodeChunk(whole.substr(0, i))) << "cut at " << i;
  }
  EXPECT_FALSE(DecodeChunk(whole + "x"));
}

TEST(LogChunk, AWrongChainIsFoundThoughTheChecksumMatches) {
  LogChunk chunk = Chunk();
  ++chunk.chain_after;
  const auto decoded = DecodeChunk(EncodeChunk(chunk));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "the shared log: a chunk breaks the chain at record 41");
}

TEST(LogChunk, ALaterFormatIsNamed) {
  const auto decoded = DecodeChunk("\x03\x00");
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message,
            "the shared log: a chunk has format 3, and this program knows 2");
}

TEST(LogChunk, TheChainBindsTheOrder) {
  const std::vector<std::string> ab = {"a", "b"};
  const std::vector<std::string> ba = {"b", "a"};
  EXPECT_NE(ChainAfter(0, ab), ChainAfter(0, ba));
  EXPECT_EQ(ChainAfter(ChainAfter(0, std::span(ab).first(1)), std::span(ab).last(1)),
            ChainAfter(0, ab));
}

TEST(LogChunk, RecordsAreCutByTheirSize) {
  const std::vector<std::string> records = {std::string(kChunkBytes / 2, 'a'),
                                            std::string(kChunkBytes / 2, 'b'), "c",
                                            std::string(kChunkBytes, 'd'), "e"};
  const auto runs = CutIntoChunks(records);
  std::vector<size_t> sizes;
  for (const auto& run : runs) sizes.push_back(run.size());
  EXPECT_EQ(sizes, (std::vector<size_t>{2, 1, 1, 1}));
  EXPECT_TRUE(CutIntoChunks({}).empty());
}

}  // namespace
}  // namespace gp
