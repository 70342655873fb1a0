#include "adapters/outbound/objects/servers/hf_hub.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "adapters/outbound/objects/download.h"
#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/objects/object_store.h"

namespace gp {
namespace {

using Heard = ObjectStore::Heard;

const std::string kCommit(40, 'a');

std::string GitSha1(const std::string& bytes) {
  HashStream stream(HashStream::Kind::kSha1);
  stream.Add("blob " + std::to_string(bytes.size()) + std::string(1, '\0') + bytes);
  return HexText(stream.End());
}

class HfHubTest : public testing::Test {
 protected:
  HfHubTest() {
    store_.first = [this](Peer& peer, const Heard& heard) {
      Answer(peer, heard);
      return true;
    };
  }

  std::string FileText(const std::string& path) const {
    const std::string& bytes = files_.at(path);
    std::string text = R"({"type":"file","path":")" + path + R"(","size":)" +
                       std::to_string(bytes.size()) + R"(,"oid":")" + GitSha1(bytes) + "\"";
    if (path.ends_with(".bin"))
      text += R"(,"lfs":{"oid":")" + Sha256(lfs_ ? *lfs_ : bytes) + R"(","size":)" +
              std::to_string(bytes.size()) + "}";
    return text + "}";
  }

  // One file per page.
  void Answer(Peer& peer, const Heard& heard) {
    if (heard.path == "/api/models/org/name/revision/main")
      return peer.Respond("200 OK", "", R"({"sha":")" + kCommit + "\"}");
    const std::string tree = "/api/models/org/name/tree/" + kCommit;
    const std::string resolve = "/org/name/resolve/" + kCommit + "/";
    if (heard.path == tree) {
      const size_t index = heard.query.contains("cursor=") ? heard.query.back() - '0' : 0;
      const auto file = std::next(files_.begin(), static_cast<std::ptrdiff_t>(index));
      const std::string next = "link: <" + store_.endpoint() + tree +
                               "?cursor=" + std::to_string(index + 1) + ">; rel=\"next\"\r\n";
      return peer.Respond(
          "200 OK", index + 1 < files_.size() ? next : "",
          "[{\"type\":\"directory\",\"path\":\"sub\"}," + FileText(file->first) + "]");
    }
    if (heard.path.starts_with(resolve) && files_.contains(heard.path.substr(resolve.size())))
      return peer.Respond("200 OK", "", files_[heard.path.substr(resolve.size())]);
    peer.Respond("404 Not Found", "x-error-code: RepoNotFound\r\n", "");
  }

  Result<TransferReport> Fetch(const std::string& url) {
    const ObjectStore::Settled settled(store_);
    HfHub hub({.endpoint = store_.endpoint()}, LoopbackAccess(Duration::Milliseconds(50)));
    const Descriptor directory(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY));
    return Download(hub, *ParseObjectUrl(url), directory, {.bytes_max = 1 << 20});
  }

  std::map<std::string, std::string> files_ = {
      {"README.md", "text"}, {"model.bin", "weights"}, {"sub/x.bin", "more"}};
  std::optional<std::string> lfs_;
  const Scratch scratch_;
  ObjectStore store_;
};

TEST_F(HfHubTest, FilesOfACommitAreFetchedAndVerified) {
  const auto report = Fetch("hf://org/name");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->version, kCommit);
  EXPECT_EQ(report->files, 3);
  EXPECT_EQ(report->unverified, 0);
  EXPECT_EQ(scratch_.Read("sub/x.bin"), "more");
}

TEST_F(HfHubTest, OneFileAndADirectoryCanBeChosen) {
  ASSERT_TRUE(Fetch("hf://org/name/model.bin"));
  EXPECT_EQ(scratch_.Read("model.bin"), "weights");
  EXPECT_FALSE(scratch_.Has("README.md"));
  EXPECT_EQ(Fetch("hf://org/name/none").error().code, ErrorCode::kNotFound);
  const auto other = Fetch("hf://org/other");
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().message.contains("RepoNotFound")) << other.error().message;
}

TEST_F(HfHubTest, OtherContentThanTheListSaysIsAnError) {
  lfs_ = "others";
  const auto report = Fetch("hf://org/name/model.bin");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(scratch_.Has("model.bin"));
}

TEST_F(HfHubTest, ATokenIsNotSentWithoutTls) {
  HfHub hub({.endpoint = store_.endpoint(), .token = "hf_secret"}, LoopbackAccess());
  const auto tree = hub.List(*ParseObjectUrl("hf://org/name"));
  ASSERT_FALSE(tree);
  EXPECT_TRUE(store_.log.empty());
}

}  // namespace
}  // namespace gp
