#include "adapters/outbound/images/files/docker_archive.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/outbound/images/json_members.h"
#include "base/digest.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr char kSavedImages[] = "manifest.json";
constexpr std::string_view kDigestName = "sha256:";
constexpr std::string_view kBlobs = "blobs/sha256/";
constexpr size_t kImagesMax = 1'000;
constexpr size_t kImageTagsShown = 8;

struct SavedImage {
  std::string config;  // path in the archive
  std::vector<std::string> tags;
  std::vector<std::string> layers;  // paths in the archive, the lowest first
};

std::vector<std::string> TextsOf(const json& object, const char* name) {
  std::vector<std::string> texts;
  for (const json& one : MemberOf(object, name))
    texts.push_back(one.is_string() ? one.get<std::string>() : "");
  return texts;
}

Result<std::vector<SavedImage>> SavedImages(const ImageFiles& files) {
  if (!files.Has(kSavedImages))
    return Fail(Malformed(files.path(),
                          "has no manifest.json: it is no archive that docker save wrote; "
                          "oci-archive: is for archives of OCI layouts"));
  const json manifest = json::parse(GP_TRY(files.Read(kSavedImages)), nullptr, false);
  if (!manifest.is_array() || manifest.empty() || manifest.size() > kImagesMax)
    return Fail(Malformed(files.NameOf(kSavedImages), "names no images, or too many"));
  std::vector<SavedImage> images;
  for (const json& one : manifest) {
    images.push_back({TextOf(one, "Config"), TextsOf(one, "RepoTags"), TextsOf(one, "Layers")});
    const size_t layers = images.back().layers.size();
    if (layers == 0 || layers > kImageLayersMax)
      return Fail(Malformed(files.NameOf(kSavedImages),
                            "has an image of " + std::to_string(layers) + " layers: one has 1 to " +
                                std::to_string(kImageLayersMax)));
  }
  return images;
}

// Docker leaves out of a name what Podman writes.
std::string WholeTag(std::string_view tag) {
  for (const std::string_view host : {"docker.io/library/", "docker.io/"}) {
    if (tag.starts_with(host)) tag.remove_prefix(host.size());
  }
  const size_t slash = tag.rfind('/');
  const bool has_version =
      tag.find(':', slash == std::string_view::npos ? 0 : slash) != std::string_view::npos;
  return std::string(tag) + (has_version ? "" : ":latest");
}

bool HasTag(const SavedImage& image, const std::string& tag) {
  return std::ranges::any_of(
      image.tags, [&](const std::string& one) { return WholeTag(one) == WholeTag(tag); });
}

std::string TagsIn(const std::vector<SavedImage>& images) {
  std::vector<std::string> tags;
  for (const SavedImage& image : images) {
    for (const std::string& tag : image.tags) tags.push_back(Printable(tag, 80));
  }
  if (tags.empty()) return "none of its images has a tag";
  const bool is_cut = tags.size() > kImageTagsShown;
  tags.resize(std::min(tags.size(), kImageTagsShown));
  return "its tags are " + Join(tags, ", ") + (is_cut ? ", …" : "");
}

Result<SavedImage> Named(const std::vector<SavedImage>& images, const LayeredImage& image) {
  std::vector<const SavedImage*> fitting;
  for (const SavedImage& one : images) {
    if (image.tag.empty() || HasTag(one, image.tag)) fitting.push_back(&one);
  }
  if (fitting.size() == 1) return *fitting.front();
  const std::string fault = fitting.empty()
                                ? "no image with the tag " + image.tag
                                : std::to_string(fitting.size()) + " images: name one by its tag";
  return Fail(Malformed(image.path, "has " + fault + "; " + TagsIn(images)));
}

// With its configuration, whose digest is the image's.
Result<std::pair<SavedImage, std::string>> ByDigest(const std::vector<SavedImage>& images,
                                                    const LayeredImage& image,
                                                    const ImageFiles& files) {
  for (const SavedImage& one : images) {
    std::string config = GP_TRY(files.Read(one.config));
    if (image.digest == std::string(kDigestName) + Sha256(config))
      return std::pair(one, std::move(config));
  }
  return Fail(Malformed(image.path, "has no image " + image.digest +
                                        ": it was written again since, or differs between nodes"));
}

// A layer's blob is named by its digest.  Else it counts as the archive itself: only what it holds
// is compared.
std::string DigestOf(const std::string& member, const std::string& archive) {
  if (!member.starts_with(kBlobs)) return archive;
  return std::string(kDigestName) + member.substr(kBlobs.size());
}

}  // namespace

Result<ImagePlan> ReadDockerArchive(const LayeredImage& image, const ImageFiles& files,
                                    const std::string& architecture) {
  const std::vector<SavedImage> images = GP_TRY(SavedImages(files));
  SavedImage saved;
  std::string config;
  if (image.digest.empty()) {
    saved = GP_TRY(Named(images, image));
    config = GP_TRY(files.Read(saved.config));
  } else {
    std::tie(saved, config) = GP_TRY(ByDigest(images, image, files));
  }
  ImagePlan plan;
  plan.digest = plan.manifest = std::string(kDigestName) + Sha256(config);
  for (const std::string& layer : saved.layers)
    SetPlace(GP_TRY(files.Open(layer)), plan.layers.emplace_back());
  GP_CHECK_OK(AddConfiguration(config, files.NameOf(saved.config), image.path, architecture, plan));
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    plan.layers[i].digest = DigestOf(saved.layers[i], plan.layers[i].diff_id);
    if (!IsSha256Name(plan.layers[i].digest))
      return Fail(Malformed(files.NameOf(saved.layers[i]), "has a name that is no digest"));
  }
  return plan;
}

}  // namespace gp
