#include "domain/cluster/codec/archive.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

// A struct of format 16, and the same one after format 17 gave it two fields.
struct RecordOf16 {
  int number = 0;
  std::string last;
};
struct RecordOf17 {
  int number = 0;
  std::string label = "none";
  std::optional<int> limit = 5;
  std::string last;
};

template <typename A>
void Fields(A& archive, RecordOf16& v) {
  archive(v.number, v.last);
}
template <typename A>
void Fields(A& archive, RecordOf17& v) {
  archive(v.number, Since<17>(v.label), Since<17>(v.limit), v.last);
}

template <typename T>
std::string BytesOf(const T& value) {
  WriteArchive archive;
  archive(value);
  return archive.Take();
}

TEST(Archive, AFieldThatAnOlderFormatLacksKeepsItsDefault) {
  const std::string bytes = BytesOf(RecordOf16{7, "end"});
  ReadArchive archive(bytes);
  archive.SetVersion(16);
  RecordOf17 value;
  archive(value);
  EXPECT_TRUE(archive.Complete());
  EXPECT_EQ(value.number, 7);
  EXPECT_EQ(value.label, "none");
  EXPECT_EQ(value.limit, 5);
  EXPECT_EQ(value.last, "end");
}

TEST(Archive, AFieldIsReadFromItsFormatOn) {
  const std::string bytes = BytesOf(RecordOf17{7, "blue", std::nullopt, "end"});
  for (const uint64_t version : {17, 18}) {
    ReadArchive archive(bytes);
    archive.SetVersion(version);
    RecordOf17 value;
    archive(value);
    EXPECT_TRUE(archive.Complete()) << version;
    EXPECT_EQ(value.label, "blue");
    EXPECT_EQ(value.limit, std::nullopt);
    EXPECT_EQ(value.last, "end");
  }
}

TEST(Archive, TheNewestFormatIsReadWhereNoneIsSaid) {
  const std::string bytes = BytesOf(RecordOf17{7, "blue", 3, "end"});
  ReadArchive archive(bytes);
  RecordOf17 value;
  archive(value);
  EXPECT_TRUE(archive.Complete());
  EXPECT_EQ(value.limit, 3);
}

}  // namespace
}  // namespace gp
