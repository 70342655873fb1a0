#include "supervisor/process/measure_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "files/descriptor.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MeasureTreeTest : public ::testing::Test {
 protected:
  std::string Measured(const std::string& name) const {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
    const Descriptor read_end(ends[0]);
    const Descriptor write_end(ends[1]);
    EXPECT_EQ(MeasureTree(scratch_.In(name), write_end.get()), 0);
    char text[512];
    const ssize_t count = read(read_end.get(), text, sizeof text);
    return std::string(text, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }

  const Scratch scratch_;
};

TEST_F(MeasureTreeTest, SumsUpAllFilesBelow) {
  scratch_.Write("c/a", "12345");
  scratch_.Write("c/b/c/d", "123");
  scratch_.Write("c/b/.hidden", "1");
  scratch_.Write("c/none", "");
  EXPECT_EQ(Measured("c"), "= 9");
  EXPECT_EQ(Measured("c/a"), "= 5") << "a checkpoint may be one file";
}

TEST_F(MeasureTreeTest, HolesCountAsTheFileHasThem) {
  scratch_.Write("c", "");
  ASSERT_EQ(truncate(scratch_.In("c").c_str(), off_t{5} << 30), 0);
  EXPECT_EQ(Measured("c"), "= 5368709120");
}

TEST_F(MeasureTreeTest, LinksCountForNothing) {
  scratch_.Write("large", std::string(1'000, 'x'));
  scratch_.Write("c/a", "1");
  fs::create_symlink(scratch_.In("large"), scratch_.In("c/link"));
  fs::create_directory_symlink(scratch_.path(), scratch_.In("c/round"));
  EXPECT_EQ(Measured("c"), "= 1");
  fs::create_directory_symlink(scratch_.In("c"), scratch_.In("to_c"));
  EXPECT_EQ(Measured("to_c"), "it is a link: report what it points to");
}

TEST_F(MeasureTreeTest, NothingIsNoCheckpoint) {
  fs::create_directories(scratch_.In("c/d"));
  EXPECT_EQ(Measured("c"), "it is empty");
  ASSERT_EQ(mkfifo(scratch_.In("c/pipe").c_str(), 0600), 0);
  EXPECT_EQ(Measured("c"), "it is empty") << "a pipe has no bytes, and nobody waits for a writer";
}

TEST_F(MeasureTreeTest, SaysWhatIsNotThere) {
  EXPECT_THAT(Measured("none"), HasSubstr("/none: No such file or directory"));
  scratch_.Write("file", "x");
  EXPECT_THAT(Measured("file/c"), HasSubstr("/file/c: Not a directory"));
}

TEST_F(MeasureTreeTest, HasALimitOf32Directories) {
  std::string name = "c";
  for (int i = 0; i < 31; ++i) name += "/d";
  scratch_.Write(name + "/file", "x");
  EXPECT_EQ(Measured("c"), "= 1") << "the file is at depth 32";
  scratch_.Write(name + "/d/file", "x");
  EXPECT_THAT(Measured("c"), HasSubstr("deeper than 32 directories"));
}

TEST_F(MeasureTreeTest, AnAnswerThatNobodyTakesFails) {
  scratch_.Write("c", "x");
  const Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(MeasureTree(scratch_.In("c"), full.get()), 1);
}

}  // namespace
}  // namespace gp
