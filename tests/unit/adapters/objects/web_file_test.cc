#include "adapters/outbound/objects/servers/web_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "adapters/outbound/objects/download.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/objects/object_store.h"

namespace gp {
namespace {

using Heard = ObjectStore::Heard;

class WebFileTest : public testing::Test {
 protected:
  Result<TransferReport> Fetch(const std::string& target) {
    const ObjectStore::Settled settled(store_);
    WebFile server({}, LoopbackAccess(Duration::Milliseconds(100)));
    const Descriptor directory(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY));
    TransferOptions options{.bytes_max = 1 << 24};
    options.retries = LoopbackAccess().retries;
    return Download(server, *ParseObjectUrl(store_.endpoint() + target), directory, options);
  }

  const Scratch scratch_;
  ObjectStore store_;
};

// The store is a server of the web, too.
TEST_F(WebFileTest, AFileIsFetchedOverCuts) {
  store_.objects = {{"f.bin", std::string(3 << 20, 'x')}};
  int cuts = 5;
  store_.cut = [&](size_t left) { return cuts-- > 0 ? left / 3 : left; };
  const auto report = Fetch("/data/f.bin?download=1");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->unverified, 1);
  EXPECT_TRUE(scratch_.Read("f.bin") == store_.objects["f.bin"]);
  EXPECT_EQ(store_.sent, 3 << 20);
  EXPECT_EQ(Fetch("/data/none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Fetch("/data/").error().code, ErrorCode::kNotFound);
}

// It knows neither HEAD nor ranges, and its ETag is a weak one.
TEST_F(WebFileTest, SimpleServersWillDo) {
  const std::string bytes(2 << 20, 'y');
  int cuts = 2;
  store_.first = [&](Peer& peer, const Heard& heard) {
    if (heard.method == "HEAD") {
      peer.Respond("405 No", "", "");
    } else if (heard.Header("Range") == "bytes=0-0") {
      peer.Respond("206 Part", "etag: W/\"1\"\r\ncontent-range: bytes 0-0/2097152\r\n", "y");
    } else {
      peer.Say("HTTP/1.1 200 OK\r\netag: W/\"1\"\r\ncontent-length: 2097152\r\n\r\n" +
               bytes.substr(0, cuts-- > 0 ? 1 << 20 : bytes.size()));
    }
    return true;
  };
  const auto report = Fetch("/f");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(scratch_.Read("f") == bytes);
}

// Without a version, what comes after a cut may be of other content.
TEST_F(WebFileTest, WithoutAVersionItBeginsAgain) {
  int cuts = 1;
  store_.first = [&](Peer& peer, const Heard& heard) {
    EXPECT_EQ(heard.Header("Range"), "");
    peer.Say("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
    if (heard.method == "GET") peer.Say(cuts-- > 0 ? "ab" : "wxyz");
    return true;
  };
  ASSERT_TRUE(Fetch("/f"));
  EXPECT_EQ(scratch_.Read("f"), "wxyz");
}

}  // namespace
}  // namespace gp
