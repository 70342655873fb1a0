#include "supervisor/records/sealed_record.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace gp {
namespace {

constexpr uint64_t kMagic = 0x7465737400000002;
constexpr uint64_t kOlder = 0x7465737400000001;

Result<std::string_view> Open(std::string_view bytes) {
  return Unseal(bytes, kMagic, kOlder, "test record");
}

TEST(SealedRecord, GivesTheFieldsBack) {
  for (const std::string& fields :
       {std::string(), std::string("a"), std::string("\0\xff\x80", 3), std::string(100'000, 'x')}) {
    const std::string bytes = Seal(kMagic, fields);
    const auto read = Open(bytes);
    ASSERT_TRUE(read.has_value()) << fields.size();
    EXPECT_TRUE(*read == fields);
  }
}

TEST(SealedRecord, EveryCutIsNoticed) {
  const std::string bytes = Seal(kMagic, "some fields");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Open(std::string_view(bytes).substr(0, size)).error().code,
              ErrorCode::kInvalidArgument)
        << size;
  }
}

TEST(SealedRecord, EveryFlippedBitIsNoticed) {
  const std::string bytes = Seal(kMagic, "some fields");
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_FALSE(Open(damaged).has_value()) << at << " " << bit;
    }
  }
}

TEST(SealedRecord, NothingMayFollow) {
  EXPECT_FALSE(Open(Seal(kMagic, "fields") + '\0').has_value());
}

TEST(SealedRecord, OneOfAnotherKindIsNamed) {
  EXPECT_EQ(Open(Seal(kMagic + 1, "fields")).error().message, "not a test record");
  EXPECT_EQ(Open("").error().message, "not a test record");
  std::string damaged = Seal(kMagic, "fields");
  damaged.back() = 'S';
  EXPECT_EQ(Open(damaged).error().message, "test record is torn or damaged");
}

TEST(SealedRecord, AnOlderOneIsNotChecked) {
  ByteWriter older;
  older.U64(kOlder);
  EXPECT_EQ(*Open(older.bytes() + "anything"), "anything");
  EXPECT_EQ(*Open(older.bytes()), "");
}

}  // namespace
}  // namespace gp
