#include "adapters/outbound/images/files/image_layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/outbound/images/files/docker_archive.h"
#include "adapters/outbound/images/files/image_files.h"
#include "adapters/outbound/images/json_members.h"
#include "base/digest.h"
#include "base/text.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr size_t kTagsShown = 8;
constexpr size_t kShaDigits = 64;
constexpr std::string_view kSha256 = "sha256:";
constexpr char kIndex[] = "index.json";
constexpr char kTagAnnotation[] = "org.opencontainers.image.ref.name";

std::string TagOf(const json& descriptor) {
  return TextOf(MemberOf(descriptor, "annotations"), kTagAnnotation);
}

std::string TagsOf(const json& manifests) {
  std::vector<std::string> tags;
  for (const json& one : manifests) {
    if (const std::string tag = TagOf(one); !tag.empty()) tags.push_back(Printable(tag, 80));
  }
  if (tags.empty()) return "none of its images has a tag";
  const bool is_cut = tags.size() > kTagsShown;
  tags.resize(std::min(tags.size(), kTagsShown));
  return "its tags are " + Join(tags, ", ") + (is_cut ? ", …" : "");
}

Result<std::string> DigestInIndex(const LayeredImage& image, const ImageFiles& files) {
  const std::string path = files.NameOf(kIndex);
  const json index = GP_TRY(ParseObject(GP_TRY(files.Read(kIndex)), path));
  const json& manifests = MemberOf(index, "manifests");
  if (!manifests.is_array() || manifests.empty()) return Fail(Malformed(path, "has no image"));
  std::vector<const json*> fitting;
  for (const json& one : manifests) {
    if (image.tag.empty() || TagOf(one) == image.tag) fitting.push_back(&one);
  }
  if (fitting.size() == 1) return DigestIn(*fitting.front(), path);
  if (fitting.empty())
    return Fail(InvalidArgument(image.path + " has no image with the tag " + image.tag + ": " +
                                TagsOf(manifests)));
  return Fail(InvalidArgument(image.path + " has " + std::to_string(fitting.size()) + " images" +
                              (image.tag.empty() ? "" : " with this tag") +
                              ": name one by its tag or digest; " + TagsOf(manifests)));
}

std::string MemberOfBlob(const std::string& digest) {
  return "blobs/sha256/" + Printable(digest.substr(kSha256.size()), kShaDigits);
}

class LayoutDocuments : public ImageDocuments {
 public:
  explicit LayoutDocuments(const ImageFiles& files) : files_(files) {}

  std::string Name() const override { return files_.path(); }
  std::string NameOf(const std::string& digest) const override {
    return files_.NameOf(MemberOfBlob(digest));
  }
  Result<std::string> Manifest(const std::string& digest) override {
    return files_.Read(MemberOfBlob(digest));
  }
  Result<std::string> Config(const std::string& digest, const std::string&) override {
    return files_.Read(MemberOfBlob(digest));
  }
  // What room is made for is what is there: holes take none, and unpack to little.
  Status Locate(LayerPlan& layer) override {
    const ImageFile blob = GP_TRY(files_.Open(MemberOfBlob(layer.digest)));
    if (blob.bytes != layer.bytes)
      return Fail(
          Malformed(NameOf(layer.digest), "has " + std::to_string(blob.bytes) + " bytes, not the " +
                                              std::to_string(layer.bytes) +
                                              " that its manifest says: copy the image again"));
    SetPlace(blob, layer);
    return Ok();
  }

 private:
  const ImageFiles& files_;
};

bool IsArchive(const LayeredImage& image) {
  using Source = ImageReference::Source;
  return image.source == Source::kDockerArchive || image.source == Source::kOciArchive;
}

Result<ImageFiles> FilesOf(const LayeredImage& image) {
  return IsArchive(image) ? ImageFiles::InArchive(image.path) : ImageFiles::InDirectory(image.path);
}

bool IsOfDocker(const LayeredImage& image) {
  return image.source == ImageReference::Source::kDockerArchive;
}

}  // namespace

Result<ImageFile> OpenBlob(const LayeredImage& image, const LayerPlan& layer) {
  if (!IsSha256Name(layer.digest))
    return Fail(InvalidArgument("a blob's name is no sha256 digest"));
  if (IsArchive(image)) return OpenPart(image.path, layer.begin, layer.length);
  return ImageFiles::InDirectory(image.path).Open(MemberOfBlob(layer.digest));
}

Result<ImagePlan> ReadLayout(const LayeredImage& image, const std::string& architecture) {
  const ImageFiles files = GP_TRY(FilesOf(image));
  if (IsOfDocker(image)) return ReadDockerArchive(image, files, architecture);
  if (image.source == ImageReference::Source::kOciArchive && !files.Has(kIndex))
    return Fail(Malformed(image.path,
                          "has no index.json: it is no archive of an OCI layout; "
                          "docker-archive: is for what docker save wrote"));
  const std::string digest =
      image.digest.empty() ? GP_TRY(DigestInIndex(image, files)) : std::string(image.digest);
  LayoutDocuments documents(files);
  return ReadImage(documents, digest, architecture);
}

}  // namespace gp
