#include "adapters/outbound/images/pull_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/scratch.h"

namespace gp {
namespace {

class PullDirectoryTest : public testing::Test {
 protected:
  PullDirectory Make() const {
    return *PullDirectory::Make(above_, "lease-1", {1'234, 1'235}, discard_);
  }

  Scratch scratch_;
  const std::string above_ = scratch_.In("pulls");
  std::string script_ = "rm -rf \"$1\"/*; echo $2 $3 > $4";
  const PullDirectory::Discard discard_ = [this](const std::string& path,
                                                 PullDirectory::Owner owner) {
    return std::vector<std::string>{"/bin/sh",
                                    "-c",
                                    script_,
                                    "sh",
                                    path,
                                    std::to_string(owner.uid),
                                    std::to_string(owner.gid),
                                    scratch_.In("owner")};
  };
};

TEST_F(PullDirectoryTest, IsItsUsersAlone) {
  const PullDirectory directory = Make();
  struct stat facts;
  ASSERT_EQ(stat(directory.path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 1'234u);
  EXPECT_EQ(facts.st_gid, 1'235u);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
  ASSERT_EQ(stat(above_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, geteuid());
  EXPECT_EQ(facts.st_mode & 07777, 0711u);
  EXPECT_NE(Make().path(), directory.path());
}

TEST_F(PullDirectoryTest, IsRemovedByItsOwner) {
  std::string path;
  {
    const PullDirectory directory = Make();
    path = directory.path();
    std::ofstream(path + "/file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::string owner;
  std::getline(std::ifstream(scratch_.In("owner")), owner);
  EXPECT_EQ(owner, "1234 1235");
}

TEST_F(PullDirectoryTest, AnEmptyOneTakesNoProcess) {
  std::string path;
  {
    const PullDirectory directory = Make();
    path = directory.path();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(scratch_.In("owner")));
}

// Root removes nothing that its owner does not.
TEST_F(PullDirectoryTest, WhatItsOwnerKeepsStays) {
  script_ = ":";
  std::string path;
  {
    const PullDirectory directory = Make();
    path = directory.path();
    std::ofstream(path + "/file") << "x";
  }
  EXPECT_TRUE(std::filesystem::exists(path + "/file"));
}

TEST_F(PullDirectoryTest, WhatAnEarlierAgentLeftIsRemoved) {
  const PullDirectory left = Make();
  std::ofstream(left.path() + "/file") << "x";
  ASSERT_EQ(PullDirectory::Left(above_), std::vector<std::string>{left.path()});
  PullDirectory::Remove(left.path(), discard_, -1);
  EXPECT_FALSE(std::filesystem::exists(left.path()));
  EXPECT_TRUE(PullDirectory::Left(above_).empty());
  EXPECT_TRUE(PullDirectory::Left(above_ + "/none").empty());
}

}  // namespace
}  // namespace gp
