#include "adapters/outbound/objects/copies.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/outbound/objects/listing.h"
#include "adapters/outbound/objects/servers/local_files.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Copies : public testing::Test {
 protected:
  Copies() {
    fs::create_directories(At("ckpt/5/sub"));
    Write("ckpt/5/a", "weights of 5");
    Write("ckpt/5/sub/b", "state of 5");
  }
  std::string At(const std::string& name) const { return scratch_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) { std::ofstream(At(name)) << text; }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(At(name)).rdbuf();
    return text.str();
  }
  ObjectUrl Url(const std::string& name) const {
    return ParseObjectUrl("file://" + At("store/" + name)).value();
  }
  Result<TransferReport> Send(const std::string& from, const std::string& to,
                              bool is_fixed = true) {
    return SendPath(server_, At(from), Url(to), is_fixed, options_);
  }
  Result<TransferReport> Restore(const std::string& from, const std::string& to) {
    return RestorePath(server_, Url(from), At(to), options_);
  }
  std::vector<std::string> Names(const std::string& directory) const {
    std::vector<std::string> names;
    for (const auto& one : fs::directory_iterator(At(directory)))
      names.push_back(one.path().filename());
    std::ranges::sort(names);
    return names;
  }

  Scratch scratch_;
  LocalFiles server_;
  TransferOptions options_{.bytes_max = 1 << 20};
};

TEST_F(Copies, ADirectoryComesBackElsewhere) {
  ASSERT_TRUE(Send("ckpt/5", "attempt-1.rank-0.1"));
  const auto restored = Restore("attempt-1.rank-0.1", "other/ckpt/5");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(Read("other/ckpt/5/a"), "weights of 5");
  EXPECT_EQ(Read("other/ckpt/5/sub/b"), "state of 5");
  EXPECT_THAT(Names("other/ckpt/5"), ElementsAre("a", "sub"));
  EXPECT_THAT(Names("other/ckpt"), ElementsAre("5")) << "nothing unfinished is left";
}

TEST_F(Copies, AFileComesBackAsAFile) {
  ASSERT_TRUE(Send("ckpt/5/a", "attempt-1.rank-0.1"));
  const auto restored = Restore("attempt-1.rank-0.1", "other/last.pt");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(Read("other/last.pt"), "weights of 5");
  EXPECT_THAT(Names("other"), ElementsAre("last.pt"));
}

TEST_F(Copies, WhatHasTheContentIsLeftAlone) {
  ASSERT_TRUE(Send("ckpt/5", "c"));
  fs::permissions(At("store/c/a"), fs::perms::none);
  const auto restored = Restore("c", "ckpt/5");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->files, 0);
}

// A node may have it from an attempt that ended while it wrote.
TEST_F(Copies, AnotherContentAtThePathIsReplaced) {
  ASSERT_TRUE(Send("ckpt/5", "c"));
  Write("ckpt/5/a", "weights of");
  fs::remove(At("ckpt/5/sub/b"));
  Write("ckpt/5/more", "of another attempt");
  const auto restored = Restore("c", "ckpt/5");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(Read("ckpt/5/a"), "weights of 5");
  EXPECT_EQ(Read("ckpt/5/sub/b"), "state of 5");
  EXPECT_THAT(Names("ckpt"), ElementsAre("5"));
  Write("last", "old");
  ASSERT_TRUE(Send("ckpt/5/a", "f"));
  ASSERT_TRUE(Restore("f", "last"));
  EXPECT_EQ(Read("last"), "weights of 5");
}

TEST_F(Copies, OneThatIsNotCompleteIsNone) {
  ASSERT_TRUE(Send("ckpt/5", "c"));
  fs::remove(At("store/c/.gp-manifest"));
  EXPECT_EQ(Restore("c", "new").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(fs::exists(At("new")));
}

TEST_F(Copies, AFixedOneIsSentAgainOnlyIfItIsOfOtherContent) {
  ASSERT_TRUE(Send("ckpt/5", "c"));
  EXPECT_EQ(Send("ckpt/5", "c")->files, 0);
  Write("ckpt/5/a", "weights of 9");
  EXPECT_EQ(Send("ckpt/5", "c")->files, 2);
  EXPECT_EQ(Read("store/c/a"), "weights of 9");
}

TEST_F(Copies, ReplacedOnesAreRemoved) {
  for (const char* name : {"attempt-1.rank-0.1", "attempt-1.rank-0.2", "attempt-1.rank-0.3",
                           "attempt-1.rank-1.1", "notes"})
    ASSERT_TRUE(Send("ckpt/5", std::string("job-1/") + name)) << name;
  const ObjectUrl newest = Url("job-1/attempt-1.rank-0.3");
  ASSERT_TRUE(RemoveReplacedCopies(server_, newest, {}));
  EXPECT_EQ(Names("store/job-1").size(), 5u);
  ASSERT_TRUE(RemoveReplacedCopies(server_, newest, {"attempt-1.rank-0.2"}));
  EXPECT_FALSE(fs::exists(At("store/job-1/attempt-1.rank-0.1/.gp-manifest")));
  EXPECT_FALSE(fs::exists(At("store/job-1/attempt-1.rank-0.1/a")));
  for (const char* name :
       {"attempt-1.rank-0.2", "attempt-1.rank-0.3", "attempt-1.rank-1.1", "notes"})
    EXPECT_TRUE(fs::exists(At("store/job-1/" + std::string(name) + "/sub/b"))) << name;
}

TEST_F(Copies, AListTellsItsContentAndASingleObject) {
  const auto directory =
      Survey(server_, ParseObjectUrl("file://" + At("ckpt/5")).value(), options_);
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->files, 2);
  EXPECT_EQ(directory->bytes, 22);
  EXPECT_EQ(directory->single, "");
  const ObjectUrl file = ParseObjectUrl("file://" + At("ckpt/5/a")).value();
  const auto single = Survey(server_, file, options_);
  EXPECT_EQ(single->single, "a");
  EXPECT_EQ(Survey(server_, file, options_)->digest, single->digest);
  Write("ckpt/5/a", "weights of 9!");
  EXPECT_NE(Survey(server_, file, options_)->digest, single->digest);
}

TEST_F(Copies, WhatIsNoLongerAsItWasListedIsNotFetched) {
  const ObjectUrl root = ParseObjectUrl("file://" + At("ckpt/5")).value();
  options_.listing = Survey(server_, root, options_)->digest;
  fs::create_directories(At("into"));
  const Descriptor into(open(At("into").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(Download(server_, root, into, options_));
  Write("ckpt/5/a", "weights of 9!");
  EXPECT_EQ(Download(server_, root, into, options_).error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace gp
