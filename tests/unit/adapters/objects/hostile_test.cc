// Servers that say anything: each is an error that names what is wrong, and no file is written
// outside of the directory.

#include <fcntl.h>
#include <gtest/gtest.h>

#include "adapters/outbound/objects/download.h"
#include "adapters/outbound/objects/servers/hf_hub.h"
#include "adapters/outbound/objects/servers/web_file.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/objects/object_store.h"

namespace gp {
namespace {

using Heard = ObjectStore::Heard;

std::string Contents(const std::string& key, const std::string& size = "1") {
  return "<Contents><Key>" + key + "</Key><Size>" + size + "</Size></Contents>";
}

std::string Listing(const std::string& contents, const std::string& rest = "") {
  return "<ListBucketResult>" + contents + rest + "</ListBucketResult>";
}

std::string Repeated(const std::string& text, int times) {
  std::string whole;
  for (int i = 0; i < times; ++i) whole += text;
  return whole;
}

class HostileTest : public testing::Test {
 protected:
  Result<TransferReport> Fetch(ObjectServer& server, const std::string& url) {
    const ObjectStore::Settled settled(store_);
    const Descriptor directory(open(scratch_.In("in").c_str(), O_RDONLY | O_DIRECTORY));
    const TransferOptions options{.bytes_max = 1 << 20,
                                  .retries = LoopbackAccess(Duration::Milliseconds(50)).retries};
    return Download(server, *ParseObjectUrl(url), directory, options);
  }
  Result<TransferReport> FetchS3(const std::string& url) {
    S3Server server(store_.credentials(), LoopbackAccess(Duration::Milliseconds(50)));
    return Fetch(server, url);
  }
  Result<TransferReport> FetchWeb(const std::string& target) {
    WebFile server({}, LoopbackAccess(Duration::Milliseconds(50)));
    return Fetch(server, store_.endpoint() + target);
  }

  // Nothing but the directory and what belongs to the transfer in it.
  void ExpectNothingWritten() const {
    int entries = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.path())) {
      const std::string path = entry.path().string();
      if (!path.contains("/in/.gp-parts") && !path.ends_with("/in")) ++entries;
    }
    EXPECT_EQ(entries, 0);
  }

  void SetUp() override { std::filesystem::create_directory(scratch_.In("in")); }

  const Scratch scratch_;
  ObjectStore store_;
};

TEST_F(HostileTest, ListsAreRefused) {
  const std::string deep = Repeated("<a>", 100) + Repeated("</a>", 100);
  const std::pair<std::string, std::string> lists[] = {
      {Listing(Contents("set/../../x")), "leads out"},
      {Listing(Contents("set/..")), "leads out"},
      {Listing(Contents("set/a/./b")), "leads out"},
      {Listing(Contents("set//etc/passwd")), "absolute"},
      {Listing(Contents("set/a//b")), "empty part"},
      {Listing(Contents("set/a/")), "empty part"},
      {Listing(Contents("set/" + std::string(256, 'x'))), "255 bytes"},
      {Listing(Contents("set/" + Repeated("xxxxxxx/", 500) + "x")), "too long"},
      {Listing(Contents("set/" + Repeated("x/", 300) + "x")), "nested"},
      {Listing(Contents("set/a%00b"), "<EncodingType>url</EncodingType>"), "control character"},
      {Listing(Contents("set/a%0Ab"), "<EncodingType>url</EncodingType>"), "control character"},
      {Listing(Contents("set/a%ff"), "<EncodingType>url</EncodingType>"), "UTF-8"},
      {Listing(Contents("set/a%zz"), "<EncodingType>url</EncodingType>"), "badly encoded"},
      {Listing(Contents("set/a") + Contents("set/a")), "twice"},
      {Listing(Contents("set/a") + Contents("set/a/b")), "directory of other objects"},
      {Listing(Contents("set/.gp-parts/x")), "reserved"},
      {Listing(Contents("other/x")), "another place"},
      {Listing(Contents("set/a", "-1")), "size"},
      {Listing(Contents("set/a", "99999999999999999999")), "size"},
      {Listing(Contents("set/a", "2000000")), "there may be"},
      {Listing("<Contents><Key>set/a</Key></Contents>"), "without a key or a size"},
      {Listing(Repeated(Contents("set/a"), 1'001)), "more objects"},
      {Listing("", "<IsTruncated>true</IsTruncated>"), "goes on"},
      {Listing("",
               "<IsTruncated>true</IsTruncated><NextContinuationToken>t</"
               "NextContinuationToken>"),
       "does not end"},
      {"<!DOCTYPE x [<!ENTITY e \"eeee\">]>" + Listing(Contents("set/&e;")), "DOCTYPE"},
      {Listing(deep), "nested too deeply"},
      {Listing("<Key>" + std::string(100'000, 'x') + "</Key>"), "too long"},
      {"<ListBucketResult>", "no XML"},
      {"{}", "no XML"},
      {"<html>x</html>", "no list"},
      {std::string(5 << 20, ' '), "limit"}};
  for (const auto& [list, part] : lists) {
    store_.first = [&list](Peer& peer, const Heard&) {
      peer.Respond("200 OK", "", list);
      return true;
    };
    const auto report = FetchS3("s3://data/set");
    ASSERT_FALSE(report) << part;
    EXPECT_TRUE(report.error().message.contains(part)) << part << ": " << report.error().message;
    ExpectNothingWritten();
  }
}

TEST_F(HostileTest, ContentsAreRefused) {
  const std::string large(20'000, 'h');
  const std::pair<std::string, std::string> answers[] = {
      {"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n123456", "where 5 were expected"},
      {"HTTP/1.1 200 OK\r\n\r\n123456", "more than the 5 bytes"},
      {"HTTP/1.1 200 OK\r\n\r\n1234", "ended after"},
      {"HTTP/1.1 200 OK\r\netag: \"other\"\r\ncontent-length: 5\r\n\r\n12345", "is now other"},
      {"HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 0-4/5\r\ncontent-length: "
       "5\r\n\r\n12345",
       "another range"},
      {"HTTP/1.1 200 OK\r\nx: " + large + "\r\n\r\n12345", "headers"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "answered 204"},
      {"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n", "answered 302"},
      {"HTTP/1.1 403 No\r\n\r\n<Error><Code>Bad\nCode</Code></Error>", "answered 403"},
      {"HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n", "999"},
      {"not HTTP at all\r\n\r\n", "127.0.0.1"},
      {"", "127.0.0.1"}};
  for (const auto& [answer, part] : answers) {
    store_.objects = {{"a", "12345"}};
    store_.first = [&answer](Peer& peer, const Heard& heard) {
      if (heard.method != "GET" || !heard.query.empty()) return false;
      peer.Say(answer);
      return true;
    };
    const auto report = FetchS3("s3://data/a");
    ASSERT_FALSE(report) << part;
    EXPECT_TRUE(report.error().message.starts_with("a: ")) << report.error().message;
    EXPECT_TRUE(report.error().message.contains(part)) << part << ": " << report.error().message;
    ExpectNothingWritten();
  }
}

TEST_F(HostileTest, RangesThatLieAreRefused) {
  const std::string bytes(2 << 20, 'x');
  for (const char* range : {"bytes 0-2097151/2097152", "bytes 1000-2097151/9",
                            "bytes 1000-5/2097152", "bytes */2097152", "x", ""}) {
    store_.objects = {{"a", bytes}};
    store_.cut = [](size_t) { return 1'000; };
    store_.first = [&](Peer& peer, const Heard& heard) {
      if (heard.Header("Range").empty()) return false;
      peer.Respond("206 Partial Content", std::string("content-range: ") + range + "\r\n",
                   bytes.substr(1'000));
      return true;
    };
    S3Server server(store_.credentials(), LoopbackAccess(Duration::Seconds(5)));
    const auto url = *ParseObjectUrl("s3://data/a");
    const auto tree = server.List(url);
    ASSERT_TRUE(tree);
    const auto read =
        server.Read(url, tree->entries[0], 1'000, [](std::string_view) { return Ok(); });
    ASSERT_FALSE(read) << range;
    EXPECT_TRUE(read.error().message.contains("another range")) << read.error().message;
  }
}

TEST_F(HostileTest, FilesOfTheWebAreRefused) {
  const std::string head = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n";
  const std::tuple<std::string, std::string, std::string> answers[] = {
      {"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/meta\r\n\r\n", "",
       "169.254.169.254"},
      {"HTTP/1.1 302 Found\r\nlocation: http://[::1]:1/\r\n\r\n", "", "::1"},
      {"HTTP/1.1 302 Found\r\nlocation: http://[::ffff:10.0.0.1]/\r\n\r\n", "", "10.0.0.1"},
      {"HTTP/1.1 302 Found\r\nlocation: file:///etc/passwd\r\n\r\n", "", "not followed"},
      {"HTTP/1.1 302 Found\r\nlocation: /f\r\n\r\n", "", "one too many"},
      {"HTTP/1.1 200 OK\r\n\r\n", "", "how large"},
      {"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-encoding: gzip\r\n\r\n", "", "compressed"},
      {"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n", "", "127.0.0.1"},
      {head + "\r\n", head + "content-encoding: br\r\n\r\n12345", "encoded as br"},
      {head + "\r\n", "HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n", "404"},
      {head + "last-modified: Mon\r\n\r\n", "HTTP/1.1 412 No\r\ncontent-length: 0\r\n\r\n",
       "its version was modified Mon"}};
  for (const auto& [to_head, to_get, part] : answers) {
    store_.first = [&](Peer& peer, const Heard& heard) {
      peer.Say(heard.method == "HEAD" ? to_head : to_get);
      return true;
    };
    const auto report = FetchWeb("/f");
    ASSERT_FALSE(report) << part;
    EXPECT_TRUE(report.error().message.contains(part)) << part << ": " << report.error().message;
    ExpectNothingWritten();
  }
}

TEST_F(HostileTest, HubsAreRefused) {
  const std::string commit(40, 'c');
  const std::pair<std::string, std::string> answers[] = {
      {"{}", "no commit"},
      {R"({"sha":"../../x"})", "no commit"},
      {"[", "no commit"},
      {R"([{"type":"file","path":"../x","size":1}])", "leads out"},
      {R"([{"type":"file","path":"a","size":-1}])", "without a path or a size"},
      {R"([{"type":"file","size":1}])", "without a path or a size"},
      {R"([{"type":"file","path":"a","size":1,"lfs":{"oid":"x","size":1}}])", "a digest"},
      {R"({"error":"x"})", "no commit"},
      {"[1,null,\"x\"]", "no files"}};
  for (const auto& [answer, part] : answers) {
    store_.first = [&](Peer& peer, const Heard& heard) {
      const bool is_list = heard.path.contains("/tree/") || !answer.starts_with("[{");
      const bool is_commit = heard.path.contains("/revision/");
      if (is_commit && (answer.starts_with("[{") || answer.starts_with("[1")))
        peer.Respond("200 OK", "", R"({"sha":")" + commit + "\"}");
      else if (is_list)
        peer.Respond("200 OK", "", answer);
      return true;
    };
    HfHub hub({.endpoint = store_.endpoint()}, LoopbackAccess(Duration::Milliseconds(50)));
    const auto report = Fetch(hub, "hf://org/name");
    ASSERT_FALSE(report) << part;
    EXPECT_TRUE(report.error().message.contains(part)) << part << ": " << report.error().message;
    ExpectNothingWritten();
  }
}

// Something in the directory leads out of it.
TEST_F(HostileTest, LinksInTheDirectoryAreNotFollowed) {
  std::filesystem::create_directory(scratch_.In("out"));
  ASSERT_EQ(symlink("../out", scratch_.In("in/sub").c_str()), 0);
  store_.objects = {{"set/sub/x", "12345"}};
  const auto report = FetchS3("s3://data/set");
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().message.contains("sub")) << report.error().message;
  EXPECT_FALSE(scratch_.Has("out/x"));
}

}  // namespace
}  // namespace gp
