#include "supervisor/image/mount_points.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

class MountPointsTest : public ::testing::Test {
 protected:
  bool MakeDirectory(const std::string& path) {
    return MakeDirectoryIn(tree_.get(), path).has_value();
  }
  bool MakeFile(const std::string& path) { return MakeFileIn(tree_.get(), path).has_value(); }
  fs::file_type TypeOf(std::string_view name) const {
    return fs::symlink_status(scratch_.In(name)).type();
  }
  const Scratch scratch_;
  const Descriptor tree_{open((scratch_.Write("tree/x", "x"), scratch_.In("tree")).c_str(),
                              O_PATH | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(MountPointsTest, DirectoriesAreMadeAndThoseThereAreUsed) {
  scratch_.Write("tree/there/file", "x");
  fs::create_directory_symlink("there", scratch_.In("tree/link"));
  for (const char* path : {"/there/a/b", "/link/c", "/", ""}) EXPECT_TRUE(MakeDirectory(path));
  EXPECT_EQ(TypeOf("tree/there/a/b"), fs::file_type::directory);
  EXPECT_EQ(TypeOf("tree/there/c"), fs::file_type::directory);
  EXPECT_TRUE(scratch_.Has("tree/there/file"));
}

TEST_F(MountPointsTest, LinksLeadNowhereButIntoTheTree) {
  fs::create_directories(scratch_.In("outside"));
  fs::create_directories(scratch_.In("tree/outside"));
  fs::create_directory_symlink("../outside", scratch_.In("tree/relative"));
  fs::create_directory_symlink("/outside", scratch_.In("tree/absolute"));
  for (const char* link : {"/relative", "/absolute"}) {
    EXPECT_TRUE(MakeDirectory(std::string(link) + "/made")) << link;
    EXPECT_TRUE(MakeFile(std::string(link) + "/file")) << link;
    EXPECT_EQ(TypeOf("tree/outside/made"), fs::file_type::directory) << link;
    EXPECT_EQ(TypeOf("tree/outside/file"), fs::file_type::regular) << link;
    fs::remove_all(scratch_.In("tree/outside/made"));
    fs::remove(scratch_.In("tree/outside/file"));
  }
  EXPECT_TRUE(fs::is_empty(scratch_.In("outside")));
}

TEST_F(MountPointsTest, AFileInTheWayIsTheImagesFault) {
  scratch_.Write("tree/file", "x");
  fs::create_symlink("loop", scratch_.In("tree/loop"));
  fs::create_symlink("nowhere", scratch_.In("tree/dangling"));
  for (const char* path : {"/file", "/file/a", "/loop/a", "/dangling/a"}) {
    const auto made = MakeDirectoryIn(tree_.get(), path);
    ASSERT_FALSE(made.has_value()) << path;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument) << path;
  }
}

// A pipe in the image would block whoever opens it, a link would lead elsewhere.
TEST_F(MountPointsTest, WhatIsNoFileIsReplaced) {
  scratch_.Write("tree/etc/hosts", "kept");
  ASSERT_EQ(mkfifo(scratch_.In("tree/etc/pipe").c_str(), 0600), 0);
  fs::create_symlink("../elsewhere", scratch_.In("tree/etc/link"));
  scratch_.Write("tree/elsewhere", "x");
  for (const char* path : {"/etc/hosts", "/etc/pipe", "/etc/link", "/etc/new", "/made/too"}) {
    EXPECT_TRUE(MakeFile(path)) << path;
    EXPECT_EQ(TypeOf(std::string("tree") + path), fs::file_type::regular) << path;
  }
  EXPECT_EQ(fs::file_size(scratch_.In("tree/etc/hosts")), 4u);
  EXPECT_EQ(fs::file_size(scratch_.In("tree/elsewhere")), 1u);
}

TEST_F(MountPointsTest, ADirectoryInPlaceOfAFileIsTheImagesFault) {
  fs::create_directories(scratch_.In("tree/etc/hosts/x"));
  const auto made = MakeFileIn(tree_.get(), "/etc/hosts");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gp
