#include "adapters/outbound/etcd/etcd_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/etcd/etcd_store.h"
#include "lib/tls/authority.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string FaultOf(const std::string& text) {
  const auto options = ParseEtcdStore(text);
  if (options) return "none";
  EXPECT_EQ(options.error().code, ErrorCode::kInvalidArgument);
  return options.error().message;
}

TEST(ParseEtcdStore, ReadsTheEndpointsInTheirOrder) {
  const auto options = ParseEtcdStore("etcd:https://e2:2379,https://e1.site:2380/,https://[::1]:1");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_THAT(options->endpoints,
              ElementsAre("https://e2:2379", "https://e1.site:2380", "https://[::1]:1"));
  EXPECT_EQ(options->commit_time, Duration::Milliseconds(400));
  EXPECT_TRUE(ParseEtcdStore("etcd:http://127.0.0.1:2379"));
  EXPECT_TRUE(ParseEtcdStore("etcd:http://localhost:2379,http://[::1]:2379"));
  EXPECT_THAT(FaultOf("etcd:http://127.0.0.1.example.com:2379"), HasSubstr("must begin with"));
  EXPECT_THAT(FaultOf("etcd:http://10.0.0.7:2379"), HasSubstr("must begin with https://"));
}

TEST(ParseEtcdStore, NamesThePartThatIsWrong) {
  const std::string form = "must be such as etcd:https://e1:2379";
  EXPECT_THAT(FaultOf(""), HasSubstr(form));
  EXPECT_THAT(FaultOf("etcd:"), HasSubstr(form));
  EXPECT_THAT(FaultOf("https://e1:2379"), HasSubstr(form));
  EXPECT_THAT(FaultOf("etcd:https://e1:2379,"), HasSubstr("\"\": "));
  EXPECT_THAT(FaultOf("etcd:https://e1:2379,e2:2379"), HasSubstr("\"e2:2379\": begins with"));
  EXPECT_THAT(FaultOf("etcd:https://e1:2379/v3"), HasSubstr("remove the path"));
  EXPECT_THAT(FaultOf("etcd:https://e1"), HasSubstr("needs its port, such as https://e1:2379"));
  EXPECT_THAT(FaultOf("etcd:https://e1:70000"), HasSubstr("no port from 1 to 65535"));
  EXPECT_THAT(FaultOf("etcd:https://u:p@e1:2379"), HasSubstr("user or a password"));
  EXPECT_THAT(FaultOf("etcd:https://e1:1,https://e1:1"), HasSubstr("https://e1:1 is there twice"));
  EXPECT_THAT(FaultOf("etcd:https://e1:1,http://localhost:1"),
              HasSubstr("http://localhost:1: all endpoints"));
}

TEST(ParseEtcdStore, TakesAtMostNineEndpoints) {
  std::string text = "etcd:https://e1:1";
  for (int i = 2; i <= 9; ++i) text += ",https://e" + std::to_string(i) + ":1";
  EXPECT_EQ(FaultOf(text), "none");
  EXPECT_THAT(FaultOf(text + ",https://e10:1"), HasSubstr("at most 9 endpoints, not 10"));
}

class OpenEtcdStore : public testing::Test {
 protected:
  std::string Fault() const {
    const auto store = EtcdStore::Open(options_);
    return store ? "none" : store.error().message;
  }
  void UseTls() {
    options_.endpoints = {"https://e1:2379"};
    options_.authority = Authority::Make(Instant{})->certificate;
  }

  EtcdOptions options_{.endpoints = {"http://e1:2379"}};
};

TEST_F(OpenEtcdStore, TakesWhatFits) {
  EXPECT_EQ(Fault(), "none");
  options_.user = "gp";
  options_.password = "x";
  EXPECT_EQ(Fault(), "none");
  UseTls();
  EXPECT_EQ(Fault(), "none");
  options_.identity = *Authority::Make(Instant{});
  EXPECT_EQ(Fault(), "none");
}

TEST_F(OpenEtcdStore, RefusesPartsWithoutTheirOtherHalf) {
  options_.user = "gp";
  EXPECT_THAT(Fault(), HasSubstr("a user needs a password"));
  options_.user.clear();
  UseTls();
  options_.identity.key = "x";
  EXPECT_THAT(Fault(), HasSubstr("a client's certificate needs its key"));
}

TEST_F(OpenEtcdStore, RefusesCertificatesThatDoNotServe) {
  UseTls();
  options_.authority = "nothing";
  EXPECT_THAT(Fault(), HasSubstr("the authority's certificate: "));
  options_.authority.clear();
  EXPECT_THAT(Fault(), HasSubstr("need the certificate of their authority"));
  UseTls();
  options_.identity = {"key", "nothing"};
  EXPECT_THAT(Fault(), HasSubstr("the client's certificate: "));
  UseTls();
  options_.identity = {};
  options_.endpoints = {"http://e1:2379"};
  EXPECT_THAT(Fault(), HasSubstr("need endpoints that begin with https://"));
}

TEST_F(OpenEtcdStore, NeedsAnEndpoint) {
  options_.endpoints.clear();
  EXPECT_THAT(Fault(), HasSubstr("no endpoint"));
}

}  // namespace
}  // namespace gp
