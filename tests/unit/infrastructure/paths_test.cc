#include "infrastructure/paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace gp {
namespace {

namespace fs = std::filesystem;

class ControllerRunDirectoryTest : public testing::Test {
 protected:
  ControllerRunDirectoryTest() {
    for (const std::string& directory : {own_, machines_}) fs::create_directories(directory);
  }
  ~ControllerRunDirectoryTest() override { fs::remove_all(root_); }
  static void Serve(const std::string& directory) { std::ofstream(directory + "/http.sock") << ""; }
  std::string Found() const { return ControllerRunDirectory(own_, machines_); }

  const std::string root_ = testing::TempDir() + "paths." + std::to_string(getpid());
  const std::string own_ = root_ + "/own";
  const std::string machines_ = root_ + "/machines";
};

TEST_F(ControllerRunDirectoryTest, IsTheMachinesForWhoNeverHadOne) {
  EXPECT_EQ(Found(), own_) << "where nobody serves, one's own is to be started";
  Serve(machines_);
  EXPECT_EQ(Found(), machines_);
}

TEST_F(ControllerRunDirectoryTest, IsOnesOwnAlsoWhenItHasEnded) {
  Serve(machines_);
  Serve(own_);
  EXPECT_EQ(Found(), own_);
}

}  // namespace
}  // namespace gp
