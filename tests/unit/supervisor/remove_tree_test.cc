#include "supervisor/files/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

class RemoveTreeTest : public ::testing::Test {
 protected:
  void Remove(const char* name) { RemoveTree(directory_.get(), name); }

  const Scratch scratch_;
  const Descriptor directory_{open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(RemoveTreeTest, ADirectoryGoesWithAllInItAndNothingBesides) {
  for (const char* name : {"t/a", "t/b/c", "t/b/d/e", "t/.hidden/f", "kept/g", "t2"})
    scratch_.Write(name, "x");
  fs::create_directories(scratch_.In("t/empty"));
  ASSERT_EQ(mkfifo(scratch_.In("t/b/pipe").c_str(), 0600), 0);
  Remove("t");
  EXPECT_FALSE(scratch_.Has("t"));
  EXPECT_TRUE(scratch_.Has("kept/g"));
  EXPECT_TRUE(scratch_.Has("t2"));
}

TEST_F(RemoveTreeTest, AnEmptyOneAndOneThatIsNotThere) {
  fs::create_directories(scratch_.In("t"));
  Remove("t");
  EXPECT_FALSE(scratch_.Has("t"));
  Remove("t");
  EXPECT_TRUE(fs::is_empty(scratch_.path()));
}

TEST_F(RemoveTreeTest, LinksGoAndWhatTheyPointToStays) {
  scratch_.Write("other/file", "x");
  scratch_.Write("t/file", "x");
  fs::create_directory_symlink(scratch_.In("other"), scratch_.In("t/link"));
  fs::create_directory_symlink("..", scratch_.In("t/up"));
  fs::create_symlink(scratch_.In("nothing"), scratch_.In("t/dangling"));
  Remove("t");
  EXPECT_FALSE(scratch_.Has("t"));
  EXPECT_TRUE(scratch_.Has("other/file"));
}

TEST_F(RemoveTreeTest, ALinkInPlaceOfTheDirectoryIsNotFollowed) {
  scratch_.Write("other/file", "x");
  fs::create_directory_symlink(scratch_.In("other"), scratch_.In("t"));
  Remove("t");
  EXPECT_TRUE(scratch_.Has("other/file"));
}

TEST_F(RemoveTreeTest, NamesThatItUsesItselfMayBeTaken) {
  for (const char* name : {"t/gp-0/gp-0/gp-1", "t/gp-1/file", "t/gp-2", "t/a/b/c/d"})
    scratch_.Write(name, "x");
  Remove("t");
  EXPECT_FALSE(scratch_.Has("t"));
}

TEST_F(RemoveTreeTest, DepthCostsNoDescriptors) {
  constexpr int kDepth = 600;  // its path is longer than any system call takes
  Descriptor at(dup(directory_.get()));
  ASSERT_EQ(mkdirat(at.get(), "t", 0755), 0);
  at.Reset(openat(at.get(), "t", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(mkdirat(at.get(), "deeper", 0755), 0);
    at.Reset(openat(at.get(), "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at.valid());
  }
  at.Reset();
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 32;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Remove("t");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(scratch_.Has("t"));
}

TEST_F(RemoveTreeTest, WideTreesGoToo) {
  for (int i = 0; i < 500; ++i)
    scratch_.Write("t/" + std::to_string(i % 50) + "/" + std::to_string(i), "");
  Remove("t");
  EXPECT_FALSE(scratch_.Has("t"));
}

}  // namespace
}  // namespace gp
