#include "adapters/outbound/secret_files/secret_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gp {
namespace {

namespace fs = std::filesystem;

const SecretOwner kAna{"", "ana"};
const SecretOwner kResearch{"research", ""};
const SecretOwner kNlp{"research/nlp", ""};

class SecretFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/gp-secrets-XXXXXX";
    directory_ = std::string(mkdtemp(path)) + "/secrets";
    Open();
  }
  void TearDown() override { fs::remove_all(fs::path(directory_).parent_path()); }

  void Open() {
    auto opened = SecretFiles::Open(directory_);
    ASSERT_TRUE(opened) << opened.error().message;
    files_ = *std::move(opened);
  }
  Status Set(const SecretOwner& owner, const std::string& name, const std::string& value) {
    return files_->Set({owner, name, Instant{7}, "root"}, value);
  }
  std::string Find(const std::string& user, const std::string& queue) const {
    return files_->Find("KEY", user, queue).value_or("-");
  }

  std::string directory_;
  std::unique_ptr<SecretFiles> files_;
};

TEST_F(SecretFilesTest, OnesOwnComesFirstThenTheNearestQueue) {
  ASSERT_TRUE(Set(kResearch, "KEY", "of research"));
  ASSERT_TRUE(Set(kNlp, "KEY", "of nlp"));
  ASSERT_TRUE(Set(kAna, "KEY", "of ana"));
  EXPECT_EQ(Find("ana", "research/nlp"), "of ana");
  EXPECT_EQ(Find("ben", "research/nlp/x"), "of nlp");
  EXPECT_EQ(Find("ben", "research/vision"), "of research");
  EXPECT_EQ(Find("ben", "researchers"), "-");
  EXPECT_EQ(Find("ben", ""), "-");
  EXPECT_EQ(Find("", "research/nlp"), "of nlp") << "without one's own";
}

TEST_F(SecretFilesTest, AreThereAfterARestart) {
  const std::string value = "grün\nand more";
  ASSERT_TRUE(Set(kAna, "KEY", "old"));
  ASSERT_TRUE(Set(kAna, "KEY", value));
  ASSERT_TRUE(Set(kNlp, "OTHER", "x"));
  ASSERT_TRUE(files_->Delete(kNlp, "OTHER"));
  Open();
  EXPECT_EQ(Find("ana", ""), value);
  ASSERT_EQ(files_->List().size(), 1U);
  EXPECT_EQ(files_->List()[0].changed_at, Instant{7});
  EXPECT_EQ(files_->List()[0].changed_by, "root");
  EXPECT_EQ(files_->Delete(kNlp, "OTHER").error().message,
            "there is no secret OTHER of queue research/nlp");
  EXPECT_EQ(files_->Delete(kAna, "OTHER").error().code, ErrorCode::kNotFound);
}

TEST_F(SecretFilesTest, NobodyElseReadsThem) {
  ASSERT_TRUE(Set(kAna, "KEY", "value"));
  struct stat facts{};
  ASSERT_EQ(stat(directory_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    ++files;
    ASSERT_EQ(stat(entry.path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600U);
    EXPECT_EQ(entry.path().string().find("ana"), std::string::npos);
  }
  EXPECT_EQ(files, 1);
}

TEST_F(SecretFilesTest, ADamagedFileIsSetAside) {
  ASSERT_TRUE(Set(kAna, "KEY", "value"));
  const std::string path = fs::directory_iterator(directory_)->path();
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  for (size_t i = 0; i < bytes.str().size(); ++i) {
    std::string damaged = bytes.str();
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(path, std::ios::binary) << damaged;
    Open();
    EXPECT_EQ(Find("ana", ""), "-") << "byte " << i;
    ASSERT_EQ(files_->warnings().size(), 1U);
    EXPECT_TRUE(files_->warnings()[0].starts_with(path + ": is damaged")) << files_->warnings()[0];
    EXPECT_TRUE(fs::exists(path + ".damaged"));
  }
}

TEST_F(SecretFilesTest, WhatAPowerCutLeftIsRemoved) {
  std::ofstream(directory_ + "/x.secret.new") << "half";
  Open();
  EXPECT_FALSE(fs::exists(directory_ + "/x.secret.new"));
}

TEST_F(SecretFilesTest, HasLimits) {
  for (size_t i = 0; i < SecretFiles::kOfOneMax; ++i)
    ASSERT_TRUE(Set(kAna, "S" + std::to_string(i), "x"));
  EXPECT_EQ(Set(kAna, "MORE", "x").error().message, "at most 256 secrets of one user or queue");
  EXPECT_TRUE(Set(kAna, "S0", "another value")) << "what is there may change";
  EXPECT_TRUE(Set(kNlp, "MORE", "x"));
  for (int i = 0; i < 15; ++i)
    ASSERT_TRUE(Set(kResearch, "L" + std::to_string(i), std::string(kSecretBytesMax, 'x')));
  EXPECT_TRUE(Set(kResearch, "LAST", std::string(kSecretBytesMax, 'x')));
  EXPECT_EQ(Set(kResearch, "MORE", "x").error().message,
            "secrets of one user or queue have at most 1024 KiB together");
  EXPECT_EQ(Set(kResearch, "MORE", "x").error().code, ErrorCode::kConflict);
  EXPECT_TRUE(Set(kResearch, "LAST", "less")) << "room is made";
  EXPECT_TRUE(Set(kResearch, "MORE", "x"));
}

}  // namespace
}  // namespace gp
