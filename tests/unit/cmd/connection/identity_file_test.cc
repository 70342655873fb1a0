#include "cmd/connection/identity_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

const Identity kIdentity{"-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----\n",
                         "-----BEGIN CERTIFICATE-----\none\n-----END CERTIFICATE-----\n"
                         "-----BEGIN CERTIFICATE-----\ntwo\n-----END CERTIFICATE-----\n"};

TEST(IdentityFile, KeepsKeyAndCertificatesTogetherForItsOwnerAlone) {
  const Scratch scratch;
  ASSERT_TRUE(KeepIdentity(scratch.In("identity"), kIdentity).has_value());
  const auto read = ReadIdentity(scratch.In("identity"));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->key, kIdentity.key);
  EXPECT_EQ(read->certificate, kIdentity.certificate);
  struct stat facts = {};
  ASSERT_EQ(stat(scratch.In("identity").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST(IdentityFile, OneThatOthersCanReadIsRefused) {
  const Scratch scratch;
  ASSERT_TRUE(KeepIdentity(scratch.In("identity"), kIdentity).has_value());
  for (const mode_t mode : {0640, 0604, 0602, 0610}) {
    ASSERT_EQ(chmod(scratch.In("identity").c_str(), mode), 0);
    const auto read = ReadIdentity(scratch.In("identity"));
    ASSERT_FALSE(read.has_value()) << mode;
    EXPECT_THAT(read.error().message, HasSubstr("others can read it: chmod 600"));
  }
}

TEST(IdentityFile, WithoutAKeyOrACertificateItIsDamaged) {
  const Scratch scratch;
  for (const std::string& text : {std::string(), kIdentity.key, kIdentity.certificate}) {
    const std::string path = scratch.Write("identity", text);
    ASSERT_EQ(chmod(path.c_str(), 0600), 0);
    EXPECT_EQ(ReadIdentity(path).error().code, ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(ReadIdentity(scratch.In("none")).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gp
