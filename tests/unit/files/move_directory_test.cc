#include "files/move_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/lower_layer.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct stat StatOf(const std::string& path) {
  struct stat info{};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info;
}

// A tree with a file of somebody else's, that was written long ago, and a link.
void Plant(const std::string& directory) {
  fs::create_directories(directory + "/job-1/1");
  Write(directory + "/job-1/1/0.out", "hello\n");
  fs::create_symlink("0.out", directory + "/job-1/1/newest");
  ASSERT_EQ(chmod((directory + "/job-1/1/0.out").c_str(), 0640), 0);
  ASSERT_EQ(chmod((directory + "/job-1").c_str(), 0711), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown((directory + "/job-1/1/0.out").c_str(), 1234, 4321), 0);
  }
  const timespec long_ago[] = {{1'000'000'000, 5}, {1'000'000'000, 7}};
  ASSERT_EQ(utimensat(AT_FDCWD, (directory + "/job-1/1/0.out").c_str(), long_ago, 0), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, (directory + "/job-1").c_str(), long_ago, 0), 0);
}

TEST(MoveDirectory, ADirectoryHasItsNewName) {
  const std::string place = testing::TempDir() + "move_directory." + std::to_string(getpid());
  Plant(place + "/logs");
  ASSERT_TRUE(MoveDirectory(place + "/logs", place + "/aside"));
  EXPECT_FALSE(fs::exists(place + "/logs"));
  EXPECT_EQ(Read(place + "/aside/job-1/1/0.out"), "hello\n");
  fs::remove_all(place);
}

TEST(MoveDirectory, WhatCannotBeMovedIsNamedWithBothPlaces) {
  const Status moved = MoveDirectory("/none/logs", "/none/aside");
  ASSERT_FALSE(moved);
  EXPECT_NE(moved.error().message.find("/none/logs to /none/aside: No such file"),
            std::string::npos)
      << moved.error().message;
}

TEST(MoveDirectory, OneOfALowerLayerIsCopiedWithOwnersModesAndTimes) {
  const LowerLayer layer("move_directory_lower");
  Plant(layer.lower() + "/logs");
  GP_COVER_OR_SKIP(layer);
  const std::string from = layer.top() + "/logs";
  const std::string to = layer.top() + "/aside";
  ASSERT_NE(std::rename(from.c_str(), to.c_str()), 0) << "this kernel renames it itself";
  ASSERT_EQ(errno, EXDEV);
  const Status moved = MoveDirectory(from, to);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_FALSE(fs::exists(from));
  EXPECT_FALSE(fs::exists(to + ".moving"));
  EXPECT_EQ(Read(to + "/job-1/1/newest"), "hello\n");
  EXPECT_TRUE(fs::is_symlink(to + "/job-1/1/newest"));
  const struct stat file = StatOf(to + "/job-1/1/0.out");
  EXPECT_EQ(file.st_mode & 07777, 0640u);
  EXPECT_EQ(file.st_uid, 1234u);
  EXPECT_EQ(file.st_gid, 4321u);
  EXPECT_EQ(file.st_mtim.tv_sec, 1'000'000'000);
  const struct stat directory = StatOf(to + "/job-1");
  EXPECT_EQ(directory.st_mode & 07777, 0711u);
  EXPECT_EQ(directory.st_mtim.tv_sec, 1'000'000'000);
}

TEST(MoveDirectory, ACopyThatWasCutOffIsMadeAgain) {
  const LowerLayer layer("move_directory_again");
  Plant(layer.lower() + "/logs");
  Plant(layer.lower() + "/aside.moving/half");
  GP_COVER_OR_SKIP(layer);
  const Status moved = MoveDirectory(layer.top() + "/logs", layer.top() + "/aside");
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_FALSE(fs::exists(layer.top() + "/aside/half"));
  EXPECT_FALSE(fs::exists(layer.top() + "/aside.moving"));
  EXPECT_TRUE(fs::exists(layer.top() + "/aside/job-1/1/0.out"));
}

}  // namespace
}  // namespace gp
