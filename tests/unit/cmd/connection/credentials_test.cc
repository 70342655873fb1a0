#include "cmd/connection/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

const std::string kSecret = "gpp_" + std::string(64, 'a');

class CredentialsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_CONFIG_HOME", scratch_.path().c_str(), 1);
    unsetenv("GPU_PLATFORM_TOKEN");
    unsetenv("GPU_PLATFORM_AUTHORITY");
  }
  void TearDown() override {
    for (const char* name : {"XDG_CONFIG_HOME", "GPU_PLATFORM_TOKEN", "GPU_PLATFORM_AUTHORITY"})
      unsetenv(name);
  }
  // A login file with this content that only its owner can read.
  void WriteLogin(const std::string& text) const {
    const std::string path = scratch_.Write("gpu-platform/login.json", text);
    ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  }

  const Scratch scratch_;
};

TEST_F(CredentialsTest, ALoginComesBackAsItWasKept) {
  ASSERT_TRUE(KeepLogin({"10.0.0.1:7070", kSecret, "-----BEGIN…\n\"quoted\"\n"}).has_value());
  const auto login = ReadLogin();
  ASSERT_TRUE(login.has_value());
  ASSERT_TRUE(login->has_value());
  EXPECT_EQ((*login)->server, "10.0.0.1:7070");
  EXPECT_EQ((*login)->secret, kSecret);
  EXPECT_EQ((*login)->authority, "-----BEGIN…\n\"quoted\"\n");
}

TEST_F(CredentialsTest, OnlyItsOwnerReadsIt) {
  ASSERT_TRUE(KeepLogin({"10.0.0.1:7070", kSecret, ""}).has_value());
  struct stat facts = {};
  ASSERT_EQ(stat(scratch_.In("gpu-platform/login.json").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  ASSERT_EQ(stat(scratch_.In("gpu-platform").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
}

TEST_F(CredentialsTest, AFileThatOthersCanReadIsRefused) {
  for (const mode_t mode : {0640, 0604, 0620, 0601, 0677}) {
    WriteLogin("{}");
    ASSERT_EQ(chmod(scratch_.In("gpu-platform/login.json").c_str(), mode), 0);
    const auto login = ReadLogin();
    ASSERT_FALSE(login.has_value()) << mode;
    EXPECT_EQ(login.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(login.error().message, HasSubstr("login.json: others can read it"));
  }
}

TEST_F(CredentialsTest, ADamagedFileIsNamed) {
  for (const char* text :
       {"", "{", "[]", "null", "\"text\"", "{}", R"({"server": "a:1"})", R"({"secret": "s"})",
        R"({"server": 1, "secret": "s"})", R"({"server": "a:1", "secret": null})",
        R"({"server": "a:1", "secret": "s", "authority": 5})",
        R"({"server": "a:1", "secret": "s", "authority": null})"}) {
    WriteLogin(text);
    const auto login = ReadLogin();
    ASSERT_FALSE(login.has_value()) << text;
    EXPECT_EQ(login.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(login.error().message, HasSubstr("login.json: is damaged")) << text;
  }
}

TEST_F(CredentialsTest, OneOfAnOlderVersionHasNoAuthority) {
  WriteLogin(R"({"server": "127.0.0.1:7070", "secret": "s", "more": 1})");
  const auto login = ReadLogin();
  ASSERT_TRUE(login.has_value() && login->has_value());
  EXPECT_EQ((*login)->authority, "");
}

TEST_F(CredentialsTest, ForgettingSaysWhetherThereWasOne) {
  EXPECT_FALSE(*ForgetLogin());
  ASSERT_TRUE(KeepLogin({"127.0.0.1:7070", kSecret, ""}).has_value());
  EXPECT_TRUE(*ForgetLogin());
  EXPECT_FALSE(ReadLogin()->has_value());
}

TEST_F(CredentialsTest, LiesBelowHomeWhereNoOtherPlaceIsSet) {
  for (const char* unusable : {"", "relative/place"}) {
    setenv("XDG_CONFIG_HOME", unusable, 1);
    const std::string home = scratch_.In("home");
    const char* const before = std::getenv("HOME");
    const std::string kept = before == nullptr ? "" : before;
    setenv("HOME", home.c_str(), 1);
    ASSERT_TRUE(KeepLogin({"127.0.0.1:7070", kSecret, ""}).has_value());
    EXPECT_TRUE(scratch_.Has("home/.config/gpu-platform/login.json")) << unusable;
    unsetenv("HOME");
    EXPECT_THAT(KeepLogin({}).error().message, HasSubstr("HOME is not set"));
    EXPECT_FALSE(ReadLogin()->has_value()) << "and a command without a login still works";
    setenv("HOME", kept.c_str(), 1);
    std::filesystem::remove_all(home);
  }
}

TEST_F(CredentialsTest, ALoginCountsForItsOwnServerAlone) {
  ASSERT_TRUE(KeepLogin({"10.0.0.1:7070", kSecret, "pem"}).has_value());
  EXPECT_EQ((*LoginFor("10.0.0.1:7070"))->secret, kSecret);
  for (const char* other : {"10.0.0.1:7071", "10.0.0.10:7070", "/run/gpu-platform", ""})
    EXPECT_FALSE(LoginFor(other)->has_value()) << other;
}

TEST_F(CredentialsTest, ALoginAtSeveralCountsForEachOfThem) {
  ASSERT_TRUE(KeepLogin({"10.0.0.1:7070,10.0.0.2:7070", kSecret, "pem"}).has_value());
  EXPECT_EQ((*ReadLogin())->server, "10.0.0.1:7070,10.0.0.2:7070");
  for (const char* server : {"10.0.0.1:7070", "10.0.0.2:7070", "10.0.0.2:7070,10.0.0.1:7070"}) {
    const auto login = LoginFor(server);
    ASSERT_TRUE(login.has_value() && login->has_value()) << server;
    EXPECT_EQ((*login)->authority, "pem");
  }
  EXPECT_FALSE(LoginFor("10.0.0.1:7070,10.0.0.3:7070")->has_value()) << "the token stays here";
}

TEST_F(CredentialsTest, ATokenGoesToNoAddressOfAListWithoutItsAuthority) {
  setenv("GPU_PLATFORM_TOKEN", kSecret.c_str(), 1);
  EXPECT_EQ((*LoginFor("127.0.0.1:1,127.0.0.1:2"))->authority, "");
  const auto login = LoginFor("127.0.0.1:7070,10.0.0.1:7070");
  ASSERT_FALSE(login.has_value());
  EXPECT_THAT(login.error().message, HasSubstr("10.0.0.1:7070: the authority"));
  EXPECT_THAT(LoginFor("127.0.0.1:7070,10.0.0.1").error().message, HasSubstr("has no port"));
}

TEST_F(CredentialsTest, TheVariableComesBeforeTheLogin) {
  const std::string other = "gpp_" + std::string(64, 'b');
  ASSERT_TRUE(KeepLogin({"127.0.0.1:7070", kSecret, ""}).has_value());
  setenv("GPU_PLATFORM_TOKEN", other.c_str(), 1);
  EXPECT_EQ((*LoginFor("127.0.0.1:7070"))->secret, other);
  EXPECT_EQ((*LoginFor("/run/gpu-platform"))->secret, other);
  setenv("GPU_PLATFORM_TOKEN", "", 1);
  EXPECT_EQ((*LoginFor("127.0.0.1:7070"))->secret, kSecret) << "empty is unset";
}

TEST_F(CredentialsTest, AVariableThatIsNoTokenIsAnErrorAndDoesNotShowIt) {
  setenv("GPU_PLATFORM_TOKEN", "my-password", 1);
  const auto login = LoginFor("127.0.0.1:7070");
  ASSERT_FALSE(login.has_value());
  EXPECT_EQ(login.error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(login.error().message.find("my-password"), std::string::npos);
}

TEST_F(CredentialsTest, ATokenGoesToAnotherMachineOnlyWithItsAuthority) {
  setenv("GPU_PLATFORM_TOKEN", kSecret.c_str(), 1);
  const auto login = LoginFor("10.0.0.1:7070");
  ASSERT_FALSE(login.has_value());
  EXPECT_THAT(login.error().message, HasSubstr("the authority of that controller is needed"));
}

TEST(CheckSecret, TakesTheFormOfATokenAndNothingElse) {
  EXPECT_TRUE(CheckSecret(kSecret).has_value());
  EXPECT_TRUE(CheckSecret("gpp_0123456789abcdef" + std::string(48, '0')).has_value());
  for (const std::string& text :
       {std::string(), std::string("gpp_"), kSecret + "a", kSecret.substr(0, 67),
        "gpp_" + std::string(64, 'A'), "gpp_" + std::string(63, 'a') + "g",
        "gpq_" + std::string(64, 'a'), std::string(68, 'a'), kSecret + "\n",
        " " + kSecret.substr(1)}) {
    EXPECT_EQ(CheckSecret(text).error().code, ErrorCode::kUnauthenticated) << text;
  }
}

TEST(IsAddress, AnAddressHasAPortAndADirectoryASlash) {
  for (const char* address : {"127.0.0.1:7070", "host:1", "[::1]:7070", "host:"})
    EXPECT_TRUE(IsAddress(address)) << address;
  for (const char* directory : {"", "/run/gpu-platform", "run/a:b", "host", "./a:1"})
    EXPECT_FALSE(IsAddress(directory)) << directory;
}

}  // namespace
}  // namespace gp
