#include "infrastructure/paths.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/scratch.h"

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

class FileForAllTest : public testing::Test {
 protected:
  FileForAllTest() : umask_(umask(077)) {}
  ~FileForAllTest() override { umask(umask_); }
  mode_t ModeOf(const std::string& name) const {
    return static_cast<mode_t>(fs::status(scratch_.In(name)).permissions());
  }

  const Scratch scratch_;
  const mode_t umask_;  // of before; a service has 077
};

TEST_F(FileForAllTest, IsReadableByAllWhateverTheUmask) {
  ASSERT_TRUE(WriteFileForAll(scratch_.In("http-address"), "http://127.0.0.1:8080\n"));
  EXPECT_EQ(ModeOf("http-address"), 0644u);
  EXPECT_EQ(scratch_.Read("http-address"), "http://127.0.0.1:8080\n");
}

TEST_F(FileForAllTest, OthersAreAsPrivateAsTheUmaskSays) {
  ASSERT_TRUE(WriteTextFile(scratch_.In("settings"), "x", 0644));
  EXPECT_EQ(ModeOf("settings"), 0600u);
}

}  // namespace
}  // namespace gp
