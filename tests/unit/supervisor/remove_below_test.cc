#include "supervisor/files/remove_below.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/lower_layer.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

class RemoveBelowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    for (const char* name : {"c/old/deep", "c/kept", "other/inner"})
      fs::create_directories(root_ / name);
    for (const char* name : {"c/old/deep/file", "c/file", "c/kept/file", "other/inner/file"})
      std::ofstream(root_ / name) << "x";
    fs::create_directory_symlink(root_ / "other", root_ / "c/link");
  }
  void TearDown() override { fs::remove_all(root_); }
  std::string In(const std::string& name) const { return (root_ / name).string(); }
  bool IsThere(const std::string& name) const {
    return fs::symlink_status(root_ / name).type() != fs::file_type::not_found;
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) / ("remove_below_" + std::to_string(getpid()));
};

TEST_F(RemoveBelowTest, FilesAndDirectoriesGoWithAllInThem) {
  RemoveBelow(In("c"), {In("c") + "//old/", In("c/file"), In("c/none")});
  EXPECT_FALSE(IsThere("c/old"));
  EXPECT_FALSE(IsThere("c/file"));
  EXPECT_TRUE(IsThere("c/kept/file"));
  EXPECT_FALSE(IsThere("c/.gp-discard.old")) << "nor what it was called meanwhile";
}

TEST_F(RemoveBelowTest, NothingGoesThroughALinkOrAbove) {
  RemoveBelow(In("c"), {In("c/link/inner"), In("c/../other"), In("c"), In("other"), "/", ""});
  EXPECT_TRUE(IsThere("other/inner/file"));
  EXPECT_TRUE(IsThere("c/kept/file"));
}

TEST_F(RemoveBelowTest, ALinkItselfGoesAndWhatItPointsToStays) {
  RemoveBelow(In("c"), {In("c/link")});
  EXPECT_FALSE(IsThere("c/link"));
  EXPECT_TRUE(IsThere("other/inner/file"));
}

TEST_F(RemoveBelowTest, WhatWasLeftByOneThatWasEndedGoesToo) {
  fs::create_directories(root_ / "c/.gp-discard.old/rest");
  RemoveBelow(In("c"), {In("c/old")});
  EXPECT_FALSE(IsThere("c/old"));
  EXPECT_FALSE(IsThere("c/.gp-discard.old"));
}

TEST(RemoveBelowOverlay, DirectoriesOfALowerLayerGoToo) {
  const LowerLayer layer("remove_below_lower");
  fs::create_directories(layer.lower() + "/c/old/deep/deeper");
  fs::create_directories(layer.lower() + "/c/kept");
  std::ofstream(layer.lower() + "/c/old/deep/deeper/file") << "x";
  std::ofstream(layer.lower() + "/c/old/file") << "x";
  GP_COVER_OR_SKIP(layer);
  fs::create_directories(layer.top() + "/c/old/deep/new/newer");  // of both layers
  RemoveBelow(layer.top() + "/c", {layer.top() + "/c/old"});
  EXPECT_FALSE(fs::exists(layer.top() + "/c/old"));
  EXPECT_TRUE(fs::exists(layer.top() + "/c/kept"));
}

}  // namespace
}  // namespace gp
