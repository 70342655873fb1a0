#include "adapters/outbound/images/files/archive_index.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "files/descriptor.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using testing::HasSubstr;

std::string Octal(int64_t number, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*lo", digits, static_cast<long>(number));
  return text;
}

// A member in the format of ustar.  `size`: in place of that of the content.
std::string Member(const std::string& name, const std::string& content, char type = '0',
                   const std::string& link = "", const std::string& size = "") {
  std::string header(512, '\0');
  const auto put = [&](size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  put(0, name.substr(0, 100));
  put(124, size.empty() ? Octal(static_cast<int64_t>(content.size()), 11) : size);
  put(148, "        ");
  header[156] = type;
  put(157, link);
  put(257, std::string("ustar\00000", 8));
  int64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, Octal(sum, 6) + std::string("\0 ", 2));
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

const std::string kEnd(1'024, '\0');

class Archives : public testing::Test {
 protected:
  Result<ArchiveIndex> Read(const std::string& bytes) {
    std::ofstream(scratch_.In("a.tar"), std::ios::trunc) << bytes;
    const Descriptor file(open(scratch_.In("a.tar").c_str(), O_RDONLY | O_CLOEXEC));
    return ReadArchiveIndex(file.get(), static_cast<int64_t>(bytes.size()), "a.tar");
  }
  std::string FaultOf(const std::string& bytes) {
    const auto index = Read(bytes);
    if (index) return "none";
    EXPECT_EQ(index.error().code, ErrorCode::kInvalidArgument);
    return index.error().message;
  }

  Scratch scratch_;
};

TEST_F(Archives, EachFileIsWhereItsContentBegins) {
  const auto index = Read(Member("./a", "first") + Member("d/", "", '5') + Member("d/b", "") +
                          Member("dev", "", '3') + Member("/c//./d", std::string(513, 'x')) +
                          Member("a", "again") + kEnd);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(*index,
            (ArchiveIndex{
                {"a", {512 * 9, 5, ""}}, {"d/b", {512 * 4, 0, ""}}, {"c/d", {512 * 6, 513, ""}}}));
}

TEST_F(Archives, NamesAreBoundedOneByOneAndTogether) {
  const auto named = [](const std::string& name) {
    return Member("././@LongLink", name, 'L') + Member("x", "y");
  };
  EXPECT_EQ(FaultOf(named(std::string(4'000, 'n')) + kEnd), "none");
  EXPECT_THAT(FaultOf(named(std::string(4'100, 'n')) + kEnd), HasSubstr("names that are too long"));
  std::string many;
  for (int i = 1'000; i < 6'000; ++i) many += named(std::to_string(i) + std::string(4'000, 'n'));
  EXPECT_THAT(FaultOf(many + kEnd), HasSubstr("names that are too long"));
}

TEST_F(Archives, LongNamesAndSizesAreThoseOfTheHeadersBefore) {
  const std::string name(150, 'n');
  const auto index =
      Read(Member("L", name + std::string(1, '\0'), 'L') + Member("short", "12") +
           Member("pax", "14 path=./p/q\n10 size=3\n", 'x') +
           Member("q", "abc", '0', "", "77777777777") + Member("global", "1", 'g') +
           Member("base256", "ab", '0', "", std::string("\x80\0\0\0\0\0\0\0\0\0\0\2", 12)) + kEnd);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(index->size(), 3U);
  EXPECT_EQ(index->at(name), (ArchiveMember{512 * 3, 2, ""}));
  EXPECT_EQ(index->at("p/q").bytes, 3);
  EXPECT_EQ(index->at("base256").bytes, 2);
}

TEST_F(Archives, OneLinkIsFollowedAndStaysInTheArchive) {
  const auto index =
      Read(Member("x/layer.tar", "content") + Member("y/layer.tar", "", '2', "../x/layer.tar") +
           Member("z", "", '2', "y/layer.tar") + Member("out", "", '2', "../../etc/passwd") +
           Member("loop", "", '2', "loop") + kEnd);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(FindMember(*index, "y/layer.tar"), (ArchiveMember{512, 7, ""}));
  for (const char* none : {"z", "out", "loop", "nothing", "", "../x/layer.tar"})
    EXPECT_EQ(FindMember(*index, none), std::nullopt) << none;
}

TEST_F(Archives, WhatIsNoArchiveIsRefusedWithTheReason) {
  const std::string whole = Member("a", std::string(2'000, 'x')) + kEnd;
  EXPECT_THAT(FaultOf(""), HasSubstr("a.tar is empty"));
  EXPECT_THAT(FaultOf(whole.substr(0, 1'000)), HasSubstr("is cut off"));
  EXPECT_THAT(FaultOf(whole.substr(0, 300)), HasSubstr("is cut off"));
  EXPECT_THAT(FaultOf("\x1f\x8b" + whole), HasSubstr("is compressed"));
  EXPECT_THAT(FaultOf(std::string(2'000, 'x')), HasSubstr("no tar archive"));
  EXPECT_THAT(FaultOf(Member("a", "", '0', "", "-1")), HasSubstr("without a size"));
  EXPECT_THAT(FaultOf(Member("a", "", '0', "", std::string(12, '\xff'))),
              HasSubstr("without a size"));
  EXPECT_THAT(FaultOf(Member("a", "", '0', "", std::string("\x80\xff\xff\xff\xff\xff", 6))),
              HasSubstr("without a size"));
  EXPECT_THAT(FaultOf(Member("p", "99 path=a\n", 'x')), HasSubstr("damaged headers"));
  EXPECT_THAT(FaultOf(Member("p", "2 \n", 'x')), HasSubstr("damaged headers"));
  EXPECT_THAT(FaultOf(Member("p", "10 size=x\n", 'x')), HasSubstr("without a size"));
  EXPECT_THAT(FaultOf(Member("L", std::string(70'000, 'n'), 'L')), HasSubstr("too long"));
}

TEST_F(Archives, MembersAreLimited) {
  std::string many;
  const std::string one = Member("d", "", '5');
  for (size_t i = 0; i <= kArchiveMembersMax; ++i) many += one;
  EXPECT_THAT(FaultOf(many), HasSubstr("more than 65536 files"));
}

}  // namespace
}  // namespace gp
