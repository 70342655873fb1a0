#include "adapters/outbound/objects/upload.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "adapters/outbound/objects/manifest.h"
#include "adapters/outbound/objects/servers/local_files.h"
#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/objects/object_store.h"

namespace gp {
namespace {

constexpr PartSizes kSmall{.whole_max = 1'000, .part_min = 300, .part_max = 600};

class UploadTest : public testing::Test {
 protected:
  Result<TransferReport> Send(const std::string& url, TransferOptions options = {}) {
    const ObjectStore::Settled settled(store_);
    if (options.bytes_max == 0) options.bytes_max = int64_t{1} << 30;
    const WebAccess access = LoopbackAccess(Duration::Milliseconds(200));
    S3Server server(store_.credentials(), access, kSmall);
    const Descriptor directory(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY));
    return Upload(server, directory, *ParseObjectUrl(url), options);
  }

  const Scratch scratch_;
  ObjectStore store_;
};

TEST_F(UploadTest, FilesBecomeObjectsAndTheManifestIsLast) {
  const std::string large(1'700, 'x');
  scratch_.Write("a", "first");
  scratch_.Write("b/large", large);
  ASSERT_EQ(symlink("/etc/passwd", scratch_.In("link").c_str()), 0);
  const auto report = Send("s3://data/out");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, 2);
  EXPECT_EQ(report->left_out, 1);
  EXPECT_EQ(store_.objects["out/a"], "first");
  EXPECT_EQ(store_.objects["out/b/large"], large);
  EXPECT_EQ(store_.digests["out/b/large"], Sha256(large));
  EXPECT_EQ(store_.objects.size(), 3U);
  EXPECT_EQ(std::ranges::count(store_.log, "PUT /data/out/b/large"), 6);
  EXPECT_EQ(store_.log.back(), "PUT /data/out/.gp-manifest");
  const auto manifest = ReadManifest(store_.objects["out/.gp-manifest"]);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(TreeDigest(*manifest), report->digest);
}

TEST_F(UploadTest, WhatIsThereIsNotSentAgain) {
  scratch_.Write("a", "first");
  scratch_.Write("b", "second");
  store_.first = [&](Peer& peer, const ObjectStore::Heard& heard) {
    if (heard.method != "PUT" || !heard.path.ends_with("/b")) return false;
    peer.Respond("403 Forbidden", "", "<Error><Code>AccessDenied</Code></Error>");
    return true;
  };
  const auto refused = Send("s3://data/out", {.objects_at_once = 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(refused.error().message.contains("AccessDenied")) << refused.error().message;
  EXPECT_FALSE(store_.objects.contains("out/.gp-manifest"));
  store_.first = {};
  store_.log.clear();
  const auto report = Send("s3://data/out");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->moved, 6);
  EXPECT_EQ(std::ranges::count(store_.log, "PUT /data/out/a"), 0);
}

TEST_F(UploadTest, NothingIsReplacedWhereNothingMayBe) {
  scratch_.Write("a", "first");
  ASSERT_TRUE(Send("s3://data/out", {.create_only = true}));
  const auto complete = Send("s3://data/out", {.create_only = true});
  ASSERT_FALSE(complete);
  EXPECT_EQ(complete.error().code, ErrorCode::kConflict);
  store_.objects.erase("out/.gp-manifest");
  scratch_.Write("a", "other");
  const auto other = Send("s3://data/out", {.create_only = true});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
  EXPECT_EQ(store_.objects["out/a"], "first");
  ASSERT_TRUE(Send("s3://data/out"));
  EXPECT_EQ(store_.objects["out/a"], "other");
}

TEST_F(UploadTest, APartThatFailsEndsTheUpload) {
  scratch_.Write("large", std::string(1'700, 'x'));
  store_.first = [&](Peer& peer, const ObjectStore::Heard& heard) {
    if (!heard.query.contains("partNumber=3")) return false;
    peer.Respond("400 Bad", "", "<Error><Code>InvalidPart</Code></Error>");
    return true;
  };
  const auto refused = Send("s3://data/out");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("InvalidPart")) << refused.error().message;
  EXPECT_EQ(std::ranges::count(store_.log, "DELETE /data/out/large"), 1);
  EXPECT_FALSE(store_.objects.contains("out/large"));
}

TEST_F(UploadTest, AFileThatChangesIsAnError) {
  scratch_.Write("large", std::string(1'700, 'x'));
  store_.first = [&](Peer&, const ObjectStore::Heard& heard) {
    if (heard.query.contains("partNumber=2")) scratch_.Write("large", std::string(1'701, 'y'));
    return false;
  };
  const auto changed = Send("s3://data/out");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(changed.error().message.contains("has changed")) << changed.error().message;
  EXPECT_FALSE(store_.objects.contains("out/large"));
}

TEST_F(UploadTest, FilesAreTargetsToo) {
  const Scratch to;
  scratch_.Write("a/b", "x");
  LocalFiles server;
  const Descriptor directory(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY));
  const auto url = *ParseObjectUrl("file://" + to.In("new/place"));
  const auto report = Upload(server, directory, url, {.bytes_max = 10, .create_only = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(to.Read("new/place/a/b"), "x");
  EXPECT_TRUE(ReadManifest(to.Read("new/place/.gp-manifest")));
  EXPECT_FALSE(Upload(server, directory, url, {.bytes_max = 10, .create_only = true}));
  EXPECT_EQ(Upload(server, directory, url, {.bytes_max = 0}).error().code,
            ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace gp
