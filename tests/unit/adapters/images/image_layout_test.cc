#include "adapters/outbound/images/files/image_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using testing::HasSubstr;
using Source = ImageReference::Source;

std::string DigestOf(const std::string& bytes) { return "sha256:" + Sha256(bytes); }

std::string ConfigOf(const std::string& diff_ids) {
  return R"({"os": "linux", "architecture": "amd64", "config": {"Env": ["A=1"]}, "rootfs":)"
         R"({"diff_ids": [)" +
         diff_ids + "]}}";
}

class ImagesInArchives : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = scratch_.In("files/" + name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::trunc) << content;
  }
  void Pack() {
    const std::string command =
        "tar -cf " + scratch_.In("a.tar") + " -C " + scratch_.In("files") + " .";
    ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT(concurrency-mt-unsafe): one thread
  }
  LayeredImage Image(Source source, const std::string& tag = "", const std::string& digest = "") {
    return {.source = source, .path = scratch_.In("a.tar"), .tag = tag, .digest = digest};
  }
  Result<ImagePlan> Read(const LayeredImage& image) { return ReadLayout(image, "amd64"); }
  std::string FaultOf(const LayeredImage& image) {
    const auto plan = Read(image);
    if (plan) return "none";
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    return plan.error().message;
  }
  static std::string ContentOf(const Result<ImageFile>& file) {
    EXPECT_TRUE(file) << file.error().message;
    std::string bytes(static_cast<size_t>(file->bytes), '\0');
    EXPECT_EQ(read(file->file.get(), bytes.data(), bytes.size()), file->bytes);
    return bytes;
  }
  // Two images: the layer of the first one is an archive, that of the other one is compressed.
  void Save() {
    first_ = ConfigOf('"' + DigestOf("layer") + '"');
    second_ = ConfigOf('"' + DigestOf("plain") + '"');
    Write("first.json", first_);
    Write("second.json", second_);
    Write("x/layer.tar", "layer");
    Write("blobs/sha256/" + Sha256("compressed"), "compressed");
    Write("manifest.json",
          R"([{"Config": "first.json", "RepoTags": ["ana/train:v1"], "Layers": ["x/layer.tar"]},)"
          R"({"Config": "second.json", "RepoTags": ["docker.io/library/b:latest"], "Layers":)"
          R"( ["blobs/sha256/)" +
              Sha256("compressed") + R"("]}])");
    Pack();
  }

  Scratch scratch_;
  std::string first_;
  std::string second_;
};

// Without its place in the archive.
LayerPlan Named(const LayerPlan& layer) { return {layer.digest, layer.diff_id, layer.bytes}; }

TEST_F(ImagesInArchives, OfDockerTheDigestIsThatOfTheConfiguration) {
  Save();
  const auto plan = Read(Image(Source::kDockerArchive, "ana/train:v1"));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->digest, DigestOf(first_));
  ASSERT_EQ(plan->layers.size(), 1U);
  EXPECT_EQ(Named(plan->layers[0]), (LayerPlan{DigestOf("layer"), DigestOf("layer"), 5}));
  EXPECT_EQ(plan->environment, std::vector<std::string>{"A=1"});
  const LayeredImage image = Image(Source::kDockerArchive);
  EXPECT_EQ(ContentOf(OpenBlob(image, plan->layers[0])), "layer");
}

TEST_F(ImagesInArchives, OfDockerALayerNamedByADigestMayBeCompressed) {
  Save();
  for (const char* tag : {"b", "b:latest", "docker.io/library/b"}) {
    const auto plan = Read(Image(Source::kDockerArchive, tag));
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->digest, DigestOf(second_));
    EXPECT_EQ(Named(plan->layers[0]), (LayerPlan{DigestOf("compressed"), DigestOf("plain"), 10}));
    EXPECT_EQ(ContentOf(OpenBlob(Image(Source::kDockerArchive), plan->layers[0])), "compressed");
  }
}

TEST_F(ImagesInArchives, OfDockerAnImageIsFoundByItsDigestWhateverItsTagIs) {
  Save();
  const auto plan = Read(Image(Source::kDockerArchive, "gone", DigestOf(second_)));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->digest, DigestOf(second_));
  EXPECT_THAT(FaultOf(Image(Source::kDockerArchive, "", DigestOf("other"))),
              HasSubstr("it was written again since"));
}

TEST_F(ImagesInArchives, OfDockerWhatIsMissingIsNamed) {
  Save();
  EXPECT_THAT(FaultOf(Image(Source::kDockerArchive)), HasSubstr("has 2 images: name one"));
  EXPECT_THAT(FaultOf(Image(Source::kDockerArchive, "v9")), HasSubstr("its tags are ana/train:v1"));
  for (const auto& [manifest, fault] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{}", "names no images"},
           {R"([{"Config": "none.json", "Layers": ["x/layer.tar"]}])", "has no file none.json"},
           {R"([{"Config": "first.json", "Layers": ["gone"]}])", "has no file gone"},
           {R"([{"Config": "first.json", "Layers": []}])", "of 0 layers"},
           {R"([{"Config": "first.json"}])", "of 0 layers"},
           {R"([{"Config": "x/layer.tar", "Layers": ["x/layer.tar"]}])", "is no JSON object"},
           {R"([{"Config": "first.json", "Layers": ["x/layer.tar", "x/layer.tar"]}])",
            "does not name the archive of each layer"}}) {
    Write("manifest.json", manifest);
    Pack();
    EXPECT_THAT(FaultOf(Image(Source::kDockerArchive)), HasSubstr(fault));
  }
  std::filesystem::remove(scratch_.In("files/manifest.json"));
  Pack();
  EXPECT_THAT(FaultOf(Image(Source::kDockerArchive)), HasSubstr("has no manifest.json"));
}

TEST_F(ImagesInArchives, ALayoutIsReadAsFromADirectory) {
  const std::string config = ConfigOf('"' + DigestOf("layer") + '"');
  const std::string manifest = R"({"config": {"digest": ")" + DigestOf(config) +
                               R"("}, "layers": [{"mediaType": "a.tar", "size": 5, "digest": ")" +
                               DigestOf("layer") + R"("}]})";
  for (const std::string& blob : {config, manifest, std::string("layer")})
    Write("blobs/sha256/" + Sha256(blob), blob);
  Pack();
  EXPECT_THAT(FaultOf(Image(Source::kOciArchive)), HasSubstr("no archive of an OCI layout"));
  Write("index.json", R"({"manifests": [{"digest": ")" + DigestOf(manifest) + R"("}]})");
  Pack();
  const auto plan = Read(Image(Source::kOciArchive));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->digest, DigestOf(manifest));
  EXPECT_EQ(Named(plan->layers[0]), (LayerPlan{DigestOf("layer"), DigestOf("layer"), 5}));
  const LayeredImage directory{.path = scratch_.In("files")};
  ASSERT_TRUE(Read(directory));
  EXPECT_EQ(Read(directory)->layers[0].diff_id, plan->layers[0].diff_id);
  EXPECT_EQ(ContentOf(OpenBlob(Image(Source::kOciArchive), plan->layers[0])), "layer");
  EXPECT_EQ(ContentOf(OpenBlob(directory, Read(directory)->layers[0])), "layer");
}

}  // namespace
}  // namespace gp
