#include "adapters/outbound/images/image_manifest.h"

#include <gtest/gtest.h>

#include <map>

#include "lib/secrets/secrets.h"

namespace gp {
namespace {

std::string DigestFor(const std::string& bytes) { return "sha256:" + Sha256(bytes); }

class PlayedDocuments : public ImageDocuments {
 public:
  std::string Add(const std::string& bytes) {
    const std::string digest = DigestFor(bytes);
    documents[digest] = bytes;
    return digest;
  }
  std::string Name() const override { return "played"; }
  std::string NameOf(const std::string& digest) const override { return digest; }
  Result<std::string> Manifest(const std::string& digest) override { return documents.at(digest); }
  Result<std::string> Config(const std::string& digest, const std::string& manifest) override {
    config_of = manifest;
    return documents.at(digest);
  }
  Status Locate(LayerPlan& layer) override {
    ++layer.bytes;
    return Ok();
  }

  std::map<std::string, std::string> documents;
  std::string config_of;
};

class Manifests : public testing::Test {
 protected:
  std::string AddManifest() {
    const std::string config =
        documents_.Add(R"({"os": "linux", "architecture": "amd64", "rootfs": {"diff_ids": [")" +
                       kArchive + R"("]}, "config": {"Env": ["A=1"], "WorkingDir": "/w"}})");
    return documents_.Add(R"({"config": {"digest": ")" + config +
                          R"("}, "layers": [{"mediaType": "x.tar+gzip", "size": 7, "digest": ")" +
                          kLayer + R"("}]})");
  }
  Result<ImagePlan> Read(const std::string& digest) {
    return ReadImage(documents_, digest, "amd64");
  }

  const std::string kLayer = "sha256:" + std::string(64, '1');
  const std::string kArchive = "sha256:" + std::string(64, '2');
  PlayedDocuments documents_;
};

TEST_F(Manifests, AnImageIsItsLayersAndWhatItsConfigurationSets) {
  const std::string manifest = AddManifest();
  const auto plan = Read(manifest);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(*plan, (ImagePlan{.digest = manifest,
                              .manifest = manifest,
                              .layers = {{kLayer, kArchive, 8}},
                              .environment = {"A=1"},
                              .working_directory = "/w"}));
  EXPECT_EQ(documents_.config_of, manifest);
}

// All nodes of a job have this digest, whatever their architecture.
TEST_F(Manifests, OfAnIndexTheDigestIsTheIndexs) {
  const std::string manifest = AddManifest();
  const std::string index = documents_.Add(
      R"({"manifests": [{"platform": {"os": "linux", "architecture": "amd64"}, "digest": ")" +
      manifest + R"("}]})");
  const auto plan = Read(index);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->digest, index);
  EXPECT_EQ(plan->manifest, manifest);
}

TEST_F(Manifests, OtherContentThanTheDigestsIsRefused) {
  const std::string manifest = AddManifest();
  documents_.documents[manifest] += " ";
  const auto plan = Read(manifest);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gp
