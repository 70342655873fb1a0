#include "adapters/outbound/objects/download.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <random>

#include "adapters/outbound/objects/manifest.h"
#include "adapters/outbound/objects/servers/local_files.h"
#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/objects/object_store.h"

namespace gp {
namespace {

std::string RandomBytes(size_t count, uint32_t seed) {
  std::minstd_rand random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class DownloadTest : public testing::Test {
 protected:
  Result<TransferReport> Fetch(const std::string& url, TransferOptions options = {},
                               Duration stall = Duration::Seconds(5)) {
    const ObjectStore::Settled settled(store_);
    if (options.bytes_max == 0) options.bytes_max = int64_t{1} << 30;
    options.retries = LoopbackAccess(stall).retries;
    S3Server server(store_.credentials(), LoopbackAccess(stall));
    const Descriptor directory(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY));
    return Download(server, *ParseObjectUrl(url), directory, options);
  }

  const Scratch scratch_;
  ObjectStore store_;
};

TEST_F(DownloadTest, ATreeBecomesFilesWithAManifest) {
  store_.objects = {{"set/a", "first"}, {"set/b/c d", "second"}, {"set/empty", ""},
                    {"set/dir/", ""},   {"set2/x", "other"},     {"set/.gp-manifest", "x"}};
  store_.digests["set/a"] = Sha256("first");
  std::vector<int64_t> done;
  TransferOptions options;
  options.on_progress = [&](const TransferProgress& progress) { done.push_back(progress.files); };
  const auto report = Fetch("s3://data/set", options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, 3);
  EXPECT_EQ(report->bytes, 11);
  EXPECT_EQ(report->unverified, 0);
  EXPECT_EQ(done, std::vector<int64_t>{3});
  EXPECT_EQ(scratch_.Read("a"), "first");
  EXPECT_EQ(scratch_.Read("b/c d"), "second");
  EXPECT_TRUE(scratch_.Has("empty"));
  EXPECT_FALSE(scratch_.Has("dir"));
  EXPECT_FALSE(scratch_.Has(".gp-parts"));
  const auto manifest = ReadManifest(scratch_.Read(".gp-manifest"));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->url, "s3://data/set");
  EXPECT_EQ(manifest->files.size(), 3U);
  EXPECT_EQ(manifest->files[0].sha256, Sha256("first"));
  EXPECT_EQ(TreeDigest(*manifest), report->digest);
}

TEST_F(DownloadTest, OneObjectAndPatternsCanBeChosen) {
  store_.objects = {{"set/a.bin", "a"}, {"set/b.txt", "b"}, {"set/c/d.bin", "d"}};
  ASSERT_TRUE(Fetch("s3://data/set/b.txt", {.sha256 = Sha256("b")}));
  EXPECT_EQ(scratch_.Read("b.txt"), "b");
  const auto some = Fetch("s3://data/set/", {.include = {"*.bin"}});
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(some->files, 2);
  EXPECT_EQ(scratch_.Read("c/d.bin"), "d");
  const auto none = Fetch("s3://data/set", {.include = {"x*"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Fetch("s3://data/nothing").error().code, ErrorCode::kNotFound);
}

TEST_F(DownloadTest, TwoHundredCutsChangeNoByte) {
  const std::string bytes = RandomBytes(8 << 20, 1);
  store_.objects = {{"big", bytes}};
  std::minstd_rand random(2);
  int cuts_left = 200;
  store_.cut = [&](size_t left) -> size_t {
    if (cuts_left == 0) return left;
    --cuts_left;
    return std::uniform_int_distribution<size_t>(0, std::min<size_t>(left, 80'000))(random);
  };
  const auto report = Fetch("s3://data/big");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(cuts_left, 0);
  EXPECT_TRUE(scratch_.Read("big") == bytes);
  EXPECT_EQ(report->unverified, 0);
  EXPECT_LE(store_.sent, static_cast<int64_t>(bytes.size()) * 105 / 100);
}

TEST_F(DownloadTest, ALaterProcessGoesOn) {
  const std::string bytes = RandomBytes(4 << 20, 3);
  store_.objects = {{"set/a", "small"}, {"set/big", bytes}};
  bool is_cut = false;
  store_.first = [&](Peer&, const ObjectStore::Heard& heard) {
    return is_cut && heard.method == "GET" && heard.path.ends_with("big");
  };
  store_.cut = [&](size_t left) {
    is_cut = left > 5;
    return left > 5 ? left / 2 : left;
  };
  const auto cut = Fetch("s3://data/set", {.objects_at_once = 1}, Duration::Milliseconds(100));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(cut.error().message.contains("big")) << cut.error().message;
  EXPECT_FALSE(scratch_.Has("big"));
  EXPECT_FALSE(scratch_.Has(".gp-manifest"));
  is_cut = false;
  store_.cut = [](size_t left) { return left; };
  store_.log.clear();
  const auto report = Fetch("s3://data/set");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(scratch_.Read("big") == bytes);
  EXPECT_LE(store_.sent, static_cast<int64_t>(bytes.size()) * 105 / 100);
  EXPECT_EQ(std::ranges::count(store_.log, "GET /data/set/a"), 0);
}

// Its name is the last thing that a file receives.
TEST_F(DownloadTest, ACompletePartIsVerifiedToo) {
  const std::string bytes = RandomBytes(2 << 20, 7);
  store_.objects = {{"big", bytes}};
  store_.digests["big"] = Sha256(bytes);
  scratch_.Write("big/in/the/way", "x");
  const auto blocked = Fetch("s3://data/big");
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().code, ErrorCode::kInvalidArgument);
  std::filesystem::remove_all(scratch_.In("big"));
  store_.first = [](Peer& peer, const ObjectStore::Heard& heard) {
    if (heard.method != "HEAD" && heard.Header("Range") != "bytes=2097151-" &&
        !heard.query.contains("list-type"))
      peer.Respond("400 Bad", "", "");
    return false;
  };
  const auto report = Fetch("s3://data/big");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->unverified, 0);
  EXPECT_EQ(report->moved, 1);
  EXPECT_TRUE(scratch_.Read("big") == bytes);
}

TEST_F(DownloadTest, AChangedObjectIsFound) {
  const std::string before = RandomBytes(2 << 20, 4);
  const std::string after = RandomBytes(2 << 20, 5);
  store_.objects = {{"big", before}};
  store_.cut = [&](size_t left) {
    store_.objects["big"] = after;
    return left == before.size() ? left / 2 : left;
  };
  // The content that is sent is still the one before.
  store_.first = [&](Peer& peer, const ObjectStore::Heard& heard) {
    if (heard.method != "GET" || !heard.path.ends_with("big") || store_.objects["big"] == after)
      return false;
    peer.Say("HTTP/1.1 200 OK\r\netag: \"" + Md5Of(before) + "\"\r\ncontent-length: " +
             std::to_string(before.size()) + "\r\n\r\n" + before.substr(0, before.size() / 2));
    store_.objects["big"] = after;
    return true;
  };
  const auto changed = Fetch("s3://data/big");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(changed.error().message.contains(Md5Of(before))) << changed.error().message;
  EXPECT_TRUE(changed.error().message.contains(Md5Of(after))) << changed.error().message;
  store_.cut = [](size_t left) { return left; };
  ASSERT_TRUE(Fetch("s3://data/big"));
  EXPECT_TRUE(scratch_.Read("big") == after);
}

TEST_F(DownloadTest, AChangeBetweenTwoProcessesIsFound) {
  const std::string bytes = RandomBytes(2 << 20, 6);
  store_.objects = {{"big", bytes}};
  int requests = 0;
  store_.cut = [&](size_t left) { return ++requests == 1 ? left / 2 : 0; };
  ASSERT_FALSE(Fetch("s3://data/big", {}, Duration::Milliseconds(50)));
  store_.objects["big"][0] ^= 1;
  store_.cut = [](size_t left) { return left; };
  const auto changed = Fetch("s3://data/big");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(changed.error().message.contains(Md5Of(bytes))) << changed.error().message;
  ASSERT_TRUE(Fetch("s3://data/big"));
}

TEST_F(DownloadTest, ABusyServerIsAskedAgain) {
  store_.objects = {{"a", "x"}};
  int busy = 6;
  store_.first = [&](Peer& peer, const ObjectStore::Heard&) {
    if (busy == 0) return false;
    --busy;
    peer.Respond(busy % 2 == 0 ? "503 Slow Down" : "429 Too Many", "retry-after: 1\r\n", "");
    return true;
  };
  const auto report = Fetch("s3://data/a");
  ASSERT_TRUE(report) << report.error().message;
  busy = 1'000'000;
  const auto never = Fetch("s3://data/a", {}, Duration::Milliseconds(100));
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, ErrorCode::kUnavailable);
}

TEST_F(DownloadTest, OtherContentThanTheDigestSaysBecomesNoFile) {
  store_.objects = {{"a", "x"}};
  store_.digests["a"] = Sha256("y");
  const auto wrong = Fetch("s3://data/a");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(wrong.error().message.contains(Sha256("y"))) << wrong.error().message;
  EXPECT_FALSE(scratch_.Has("a"));
  store_.digests.clear();
  EXPECT_FALSE(Fetch("s3://data/a", {.sha256 = Sha256("z")}));
  EXPECT_TRUE(Fetch("s3://data/a", {.sha256 = Sha256("x")}));
}

TEST_F(DownloadTest, NothingIsFetchedOfWhatIsTooLarge) {
  store_.objects = {{"set/a", "12345"}, {"set/b", "67890"}};
  const auto report = Fetch("s3://data/set", {.bytes_max = 9});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(store_.log, std::vector<std::string>{"GET /data/"});
  EXPECT_TRUE(Fetch("s3://data/set", {.bytes_max = 10}));
}

TEST(DownloadOfFiles, LinksAreLeftOut) {
  const Scratch from;
  const Scratch to;
  from.Write("tree/a", "x");
  from.Write("tree/b/c", "y");
  ASSERT_EQ(symlink("/etc/passwd", from.In("tree/link").c_str()), 0);
  ASSERT_EQ(symlink("/etc", from.In("tree/b/etc").c_str()), 0);
  LocalFiles server;
  const Descriptor directory(open(to.path().c_str(), O_RDONLY | O_DIRECTORY));
  const TransferOptions options{.bytes_max = 100};
  const auto report =
      Download(server, *ParseObjectUrl("file://" + from.In("tree")), directory, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, 2);
  EXPECT_EQ(report->left_out, 2);
  EXPECT_EQ(report->unverified, 2);
  EXPECT_EQ(to.Read("b/c"), "y");
  EXPECT_FALSE(to.Has("link"));
  ASSERT_TRUE(Download(server, *ParseObjectUrl("file://" + from.In("tree/a")), directory, options));
}

}  // namespace
}  // namespace gp
