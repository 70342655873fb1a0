// TLS, and etcd's users.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/spawn/run_command.h"
#include "lib/tls/authority.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using testing::HasSubstr;
using testing::Not;

const StoreTransaction kPutOne{.puts = {{"/gp/a", "x"}}};

Instant Now() {
  return {std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()};
}

class EtcdTls : public testing::Test {
 protected:
  void SetUp() override {
    GP_NEED_ETCD();
    authority_ = *Authority::From(*Authority::Make(Now()));
    stranger_ = *Authority::From(*Authority::Make(Now()));
    const Identity server = *authority_->ForController({"127.0.0.1"}, Now());
    cluster_ = std::make_unique<EtcdCluster>(EtcdCluster::Settings{
        .scheme = "https",
        .flags = {"--cert-file", files_.Write("cert", server.certificate), "--key-file",
                  files_.Write("key", server.key), "--client-cert-auth", "--trusted-ca-file",
                  files_.Write("ca", authority_->certificate())}});
    ASSERT_TRUE(cluster_->is_up());
  }

  static Identity Client(const Authority& authority) {
    const CertificateRequest request = *NewCertificateRequest();
    return {request.key, *authority.ForNode(request.request, "n1", Duration::Minutes(60), Now())};
  }
  std::unique_ptr<EtcdStore> StoreWith(const Authority& trusted, const Identity& identity) {
    EtcdOptions options = cluster_->Options();
    options.authority = trusted.certificate();
    options.identity = identity;
    auto store = EtcdStore::Open(options);
    if (!store) ADD_FAILURE() << store.error().message;
    return std::move(*store);
  }

  Scratch files_;
  std::optional<Authority> authority_;
  std::optional<Authority> stranger_;
  std::unique_ptr<EtcdCluster> cluster_;
};

TEST_F(EtcdTls, AClientWithACertificateIsAdmitted) {
  const auto store = StoreWith(*authority_, Client(*authority_));
  EXPECT_TRUE(AwaitReal([&] { return store->Commit(kPutOne).end == CommitEnd::kCommitted; }))
      << store->Commit(kPutOne).why << cluster_->Log(0);
}

TEST_F(EtcdTls, AMemberOfAnotherAuthorityIsNotAsked) {
  const auto read = StoreWith(*stranger_, Client(*authority_))->Read({"/gp/a", ""}, 1);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(read.error().message, HasSubstr(cluster_->endpoint(0)));
  EXPECT_THAT(read.error().message, HasSubstr("certificate"));
}

TEST_F(EtcdTls, AClientWithoutACertificateOrWithAStrangersIsRefused) {
  for (const Identity& identity : {Identity{}, Client(*stranger_)}) {
    const auto read = StoreWith(*authority_, identity)->Read({"/gp/a", ""}, 1);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("certificate"));
  }
}

TEST_F(EtcdTls, AKeyOfAnotherCertificateIsSaid) {
  const Identity identity{Client(*authority_).key, Client(*authority_).certificate};
  const auto read = StoreWith(*authority_, identity)->Read({"/gp/a", ""}, 1);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("certificate and its key match"));
}

constexpr const char* kPassword = "s3cret-of-gp";

class EtcdUsers : public testing::Test {
 protected:
  void SetUp() override {
    GP_NEED_ETCD();
    cluster_ = std::make_unique<EtcdCluster>(EtcdCluster::Settings{});
    ASSERT_TRUE(cluster_->is_up());
    ASSERT_TRUE(cluster_->AwaitHealth());
    Control({"user", "add", "root:r00t"});
    Control({"user", "add", std::string("gp:") + kPassword});
    Control({"role", "add", "gp"});
    Control({"role", "grant-permission", "gp", "readwrite", "--prefix=true", "/gp/"});
    Control({"user", "grant-role", "gp", "gp"});
    Control({"auth", "enable"});
  }

  // A new password, even the same one, ends the user's tokens.
  void EndTokens() {
    const std::string password = std::string(kPassword) + "\n";
    Control({"--user", "root:r00t", "user", "passwd", "gp", "--interactive=false"}, password);
  }
  void Control(const std::vector<std::string>& words, const std::string& input = "") {
    std::vector<std::string> command = {"/usr/bin/etcdctl", "--endpoints", cluster_->endpoint(0)};
    command.insert(command.end(), words.begin(), words.end());
    const CommandEnd end =
        RunCommand(command, {.time_limit = Duration::Seconds(30), .input = input});
    ASSERT_TRUE(end.ok) << end.output;
  }
  std::unique_ptr<EtcdStore> StoreOf(const std::string& user, const std::string& password) {
    EtcdOptions options = cluster_->Options();
    options.user = user;
    options.password = password;
    options.commit_time = Duration::Seconds(20);  // etcd takes its time for a password
    return std::move(*EtcdStore::Open(options));
  }

  std::unique_ptr<EtcdCluster> cluster_;
};

TEST_F(EtcdUsers, AUserIsAdmittedToItsKeysAlone) {
  const auto store = StoreOf("gp", kPassword);
  EXPECT_TRUE(AwaitReal([&] { return store->Commit(kPutOne).end == CommitEnd::kCommitted; }))
      << store->Commit(kPutOne).why;
  const auto read = store->Read(KeysUnder("/gp/"), 10);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->entries.size(), 1U);
  const Committed other = store->Commit({.puts = {{"/other", "x"}}});
  EXPECT_EQ(other.end, CommitEnd::kUnknown);
  EXPECT_THAT(other.why, HasSubstr("grant-permission"));
}

// No more rights than those of its keys.
TEST_F(EtcdUsers, AUserCompactsAndSeesTheSpace) {
  const auto store = StoreOf("gp", kPassword);
  Committed end;
  ASSERT_TRUE(AwaitReal([&] {
    end = store->Commit(kPutOne);
    return end.end == CommitEnd::kCommitted;
  }));
  const Status forgotten = store->Forget(end.revision);
  EXPECT_TRUE(forgotten) << forgotten.error().message;
  const auto used = store->Bytes();
  ASSERT_TRUE(used) << used.error().message;
  EXPECT_GT(used->in_use, 0u);
  EXPECT_GE(used->file, used->in_use);
}

TEST_F(EtcdUsers, ATokenThatIsNoLongerAcceptedIsReplacedWithinTheCall) {
  const auto store = StoreOf("gp", kPassword);
  ASSERT_TRUE(store->Read(KeysUnder("/gp/"), 1));
  EndTokens();
  const auto read = store->Read(KeysUnder("/gp/"), 1);
  EXPECT_TRUE(read) << read.error().message;
  EndTokens();
  const Committed end = store->Commit(kPutOne);
  EXPECT_EQ(end.end, CommitEnd::kCommitted) << end.why;
}

TEST_F(EtcdUsers, AWatchOpensAgainWithANewToken) {
  std::atomic<int> hints = 0;
  const auto watch = StoreOf("gp", kPassword)->Watch(KeysUnder("/gp/"), [&hints] { ++hints; });
  ASSERT_TRUE(AwaitReal([&] { return hints > 0; }));
  const int before = hints;
  EndTokens();
  cluster_->Kill(0);
  cluster_->Start(0);
  EXPECT_TRUE(AwaitReal([&] { return hints > before; }));
}

TEST_F(EtcdUsers, AWrongPasswordIsSaidButNotPrinted) {
  const auto store = StoreOf("gp", "wr0ng-password");
  const Committed end = store->Commit(kPutOne);
  EXPECT_EQ(end.end, CommitEnd::kUnknown);
  EXPECT_THAT(end.why, HasSubstr("set the right user and password"));
  EXPECT_THAT(end.why, Not(HasSubstr("wr0ng")));
  const auto read = store->Read(KeysUnder("/gp/"), 1);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("set the right user and password"));
  EXPECT_THAT(read.error().message, Not(HasSubstr("wr0ng")));
}

TEST_F(EtcdUsers, WithoutAUserTheMessageSaysThatOneIsNeeded) {
  const auto read = cluster_->Store()->Read(KeysUnder("/gp/"), 1);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("set the user and the password"));
}

}  // namespace
}  // namespace gp
