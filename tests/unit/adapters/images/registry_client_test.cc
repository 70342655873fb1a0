#include "adapters/outbound/images/registry_client.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

LayeredImage Image() {
  return {.source = ImageReference::Source::kRegistry, .repository = "reg.lab/a", .tag = "v1"};
}

TEST(RegistryErrors, WhatTheRegistryLacksOrRefusesIsTheUsersFault) {
  for (const char* said :
       {"reading manifest v9 in 127.0.0.1:5000/a: manifest unknown: manifest unknown",
        "reading manifest v9 in reg.lab/a: name unknown: repository name not known to registry",
        "reading manifest v1 in reg.lab/a: unauthorized: authentication required",
        "requested access to the resource is denied", "invalid status code: StatusCode: 404, x",
        "Requesting bearer token: invalid status code from registry 403 (Forbidden)",
        "Digest did not match, expected sha256:1, got sha256:2",
        "Source image rejected: A signature was required, but no signature exists",
        "invalid username/password: unauthorized"}) {
    const Error error = RegistryError(
        std::string("time=\"2026-11-29T00:00:00Z\" level=fatal msg=\"") + said + "\"\n", Image());
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << said;
    EXPECT_EQ(error.message, std::string("cannot pull reg.lab/a:v1: ") + said);
  }
}

TEST(RegistryErrors, OneThatDoesNotAnswerIsNot) {
  for (const char* said :
       {"pinging container registry reg.lab: Get \"https://reg.lab/v2/\": dial tcp: connection "
        "refused",
        "toomanyrequests: You have reached your pull rate limit", "x509: certificate has expired",
        "open /s/image-pulls/x: permission denied", "skopeo: No such file or directory",
        "skopeo did not end within 25s", ""}) {
    EXPECT_EQ(RegistryError(said, Image()).code, ErrorCode::kInternal) << said;
  }
}

TEST(RegistryErrors, TheNameOfTheImageSaysNothing) {
  EXPECT_EQ(RegistryError("reading manifest v1 in reg.lab/unauthorized: connection refused",
                          {.repository = "reg.lab/unauthorized", .tag = "v1"})
                .code,
            ErrorCode::kInternal);
  EXPECT_EQ(RegistryError("reading manifest unauthorized in reg.lab/a: status: 500",
                          {.repository = "reg.lab/a", .tag = "unauthorized"})
                .code,
            ErrorCode::kInternal);
  EXPECT_EQ(RegistryError("pinging reg.lab/unauthorized@sha256:1: connection refused",
                          {.repository = "reg.lab/unauthorized", .digest = "sha256:1"})
                .code,
            ErrorCode::kInternal);
}

TEST(RegistryErrors, OnlyTheLastLineIsTold) {
  const Error error = RegistryError(
      "time=\"1\" level=warning msg=\"old\"\ntime=\"2\" level=fatal msg=\"manifest unknown\"\n",
      Image());
  EXPECT_EQ(error.message, "cannot pull reg.lab/a:v1: manifest unknown");
}

TEST(RegistryErrors, TheNameIsToldOnceAndQuotesAsTheyAre) {
  const Error error = RegistryError(
      "time=\"1\" level=fatal msg=\"Error parsing image name \\\"docker://reg.lab/a:v1\\\": "
      "Get \\\"https://reg.lab/v2/\\\": connection refused\"\n",
      Image());
  EXPECT_EQ(error.message,
            "cannot pull reg.lab/a:v1: Get \"https://reg.lab/v2/\": connection refused");
}

TEST(CredentialsFiles, AUserAndPasswordAreForTheRepositorysRegistry) {
  EXPECT_EQ(CredentialsFile("reg.lab:5000/ana/train", "ana:pa:ss\n").value(),
            R"({"auths":{"reg.lab:5000":{"auth":"YW5hOnBhOnNz"}}})");
}

TEST(CredentialsFiles, OfDockersWhatNamesNoProgramIsTaken) {
  const std::string file = R"({"auths": {"reg.lab": {"auth": "YTpi"}}})";
  EXPECT_EQ(CredentialsFile("reg.lab/a", file).value(), R"({"auths":{"reg.lab":{"auth":"YTpi"}}})");
  const std::string with_programs =
      R"({"auths": {"reg.lab": {"auth": "YTpi"}}, "credsStore": "x", "credHelpers": {"a": "b"}})";
  EXPECT_EQ(CredentialsFile("reg.lab/a", with_programs).value(),
            R"({"auths":{"reg.lab":{"auth":"YTpi"}}})");
}

TEST(CredentialsFiles, WhatIsNoneIsRefusedWithoutBeingShown) {
  for (const char* secret :
       {"", "hunter2", ":hunter2", "{hunter2", "\n", R"({"auths": 1, "a": "hunter2"})",
        R"({"auths": {"a": {"auth": "hunter2!"}}})", R"({"credsStore": "hunter2"})"}) {
    const auto file = CredentialsFile("reg.lab/a", secret);
    ASSERT_FALSE(file) << secret;
    EXPECT_EQ(file.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(file.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace gp
