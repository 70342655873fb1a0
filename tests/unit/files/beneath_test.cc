#include "files/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

class Beneath : public testing::Test {
 protected:
  ErrorCode CodeOf(const std::string& path, int flags = O_RDONLY) const {
    const auto opened = OpenBeneath(root_.get(), path, flags, 0600);
    return opened ? ErrorCode::kUnsupported : opened.error().code;
  }

  const Scratch scratch_;
  const Descriptor root_{open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY)};
};

TEST_F(Beneath, NoPathLeadsOut) {
  scratch_.Write("in/file", "x");
  ASSERT_EQ(symlink("/etc", scratch_.In("out").c_str()), 0);
  ASSERT_EQ(symlink("in/file", scratch_.In("link").c_str()), 0);
  EXPECT_TRUE(OpenBeneath(root_.get(), "in/file", O_RDONLY));
  EXPECT_TRUE(OpenBeneath(root_.get(), "", O_RDONLY | O_DIRECTORY));
  for (const char* path : {"../x", "in/../../x", "/etc/passwd", "out/passwd", "link", "in/file/x"})
    EXPECT_EQ(CodeOf(path), ErrorCode::kInvalidArgument) << path;
  EXPECT_EQ(CodeOf("none"), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf("in/file", O_WRONLY | O_CREAT | O_EXCL), ErrorCode::kConflict);
}

TEST_F(Beneath, DirectoriesAreMade) {
  ASSERT_EQ(symlink("/tmp", scratch_.In("out").c_str()), 0);
  scratch_.Write("file", "x");
  EXPECT_TRUE(MakeDirectoriesBeneath(root_.get(), "a/b/c", 0755));
  EXPECT_TRUE(MakeDirectoriesBeneath(root_.get(), "a/b/d", 0755));
  EXPECT_TRUE(MakeDirectoriesBeneath(root_.get(), "", 0755));
  EXPECT_TRUE(scratch_.Has("a/b/d"));
  for (const char* path : {"out/a", "file/a", "a/../../b", "/tmp/a", "a//e"})
    EXPECT_FALSE(MakeDirectoriesBeneath(root_.get(), path, 0755)) << path;
}

TEST_F(Beneath, PathsHaveParents) {
  EXPECT_EQ(PathAbove("a/b/c"), "a/b");
  EXPECT_EQ(PathAbove("a"), "");
  EXPECT_EQ(LastPartOf("a/b"), "b");
  EXPECT_EQ(LastPartOf("a"), "a");
}

}  // namespace
}  // namespace gp
