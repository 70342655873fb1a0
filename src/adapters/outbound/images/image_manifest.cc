#include "adapters/outbound/images/image_manifest.h"

#include <sys/utsname.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "adapters/outbound/images/json_members.h"
#include "base/digest.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr int kIndexDepthMax = 3;
constexpr size_t kPlatformsShown = 8;
constexpr size_t kVariablesMax = 1'000;
constexpr size_t kEnvironmentBytesMax = 128 << 10;

Status AddEnvironment(const json& variables, const std::string& path, ImagePlan& plan) {
  if (!variables.is_array()) return Ok();
  size_t bytes = 0;
  for (const json& one : variables) {
    const std::string text = one.is_string() ? one.get<std::string>() : "";
    const size_t equals = text.find('=');
    const bool has_name = equals != std::string::npos && equals > 0;
    if (!has_name || text.find('\0') != std::string::npos) continue;
    bytes += text.size();
    plan.environment.push_back(text);
  }
  if (plan.environment.size() <= kVariablesMax && bytes <= kEnvironmentBytesMax) return Ok();
  return Fail(Malformed(path, "has more environment variables than a program can take"));
}

class ManifestReader {
 public:
  ManifestReader(ImageDocuments& documents, const std::string& architecture)
      : documents_(documents), architecture_(architecture) {}

  Result<ImagePlan> ReadFrom(const std::string& digest, int depth) {
    const json document = GP_TRY(Checked(GP_TRY(documents_.Manifest(digest)), digest));
    if (MemberOf(document, "layers").is_array()) return ReadManifest(digest, document);
    const json& manifests = MemberOf(document, "manifests");
    if (!manifests.is_array() || depth >= kIndexDepthMax)
      return Fail(
          Malformed(documents_.NameOf(digest), "is neither a manifest nor an index of manifests"));
    std::vector<std::string> others;
    for (const json& one : manifests) {
      const json& platform = MemberOf(one, "platform");
      const std::string name = TextOf(platform, "os") + "/" + TextOf(platform, "architecture");
      if (name == "linux/" + architecture_)
        return ReadFrom(GP_TRY(DigestIn(one, documents_.NameOf(digest))), depth + 1);
      if (others.size() < kPlatformsShown) others.push_back(Printable(name, 40));
    }
    return Fail(InvalidArgument(documents_.Name() + " has no image for linux/" + architecture_ +
                                ", only for " + Join(others, ", ")));
  }

 private:
  Result<json> Checked(const std::string& bytes, const std::string& digest) const {
    const std::string name = documents_.NameOf(digest);
    if ("sha256:" + Sha256(bytes) != digest)
      return Fail(Malformed(name, "has other content than its name says: copy the image again"));
    return ParseObject(bytes, name);
  }

  Result<ImagePlan> ReadManifest(const std::string& digest, const json& manifest) {
    ImagePlan plan;
    plan.manifest = digest;
    const std::string path = documents_.NameOf(digest);
    const json& layers = MemberOf(manifest, "layers");
    if (layers.empty() || layers.size() > kImageLayersMax)
      return Fail(Malformed(path, "has " + std::to_string(layers.size()) +
                                      " layers: an image has 1 to " +
                                      std::to_string(kImageLayersMax)));
    for (const json& layer : layers) {
      LayerPlan one = GP_TRY(ReadLayer(layer, path));
      GP_CHECK_OK(documents_.Locate(one));
      plan.layers.push_back(std::move(one));
    }
    const std::string config = GP_TRY(DigestIn(MemberOf(manifest, "config"), path));
    const std::string bytes = GP_TRY(documents_.Config(config, digest));
    GP_TRY(Checked(bytes, config));
    GP_CHECK_OK(
        AddConfiguration(bytes, documents_.NameOf(config), documents_.Name(), architecture_, plan));
    return plan;
  }

  static Result<LayerPlan> ReadLayer(const json& descriptor, const std::string& where) {
    LayerPlan layer;
    layer.digest = GP_TRY(DigestIn(descriptor, where));
    const std::string type = TextOf(descriptor, "mediaType");
    const bool is_known =
        std::ranges::any_of(std::initializer_list<const char*>{".tar", ".tar+gzip", ".tar+zstd",
                                                               ".tar.gzip", ".tar.zstd"},
                            [&](const char* ending) { return type.ends_with(ending); });
    if (!is_known)
      return Fail(Malformed(where, "has a layer of the type \"" + Printable(type, 80) +
                                       "\", which is no archive that can be unpacked"));
    const json& size = MemberOf(descriptor, "size");
    if (!size.is_number_unsigned() || size.get<uint64_t>() > uint64_t{kLayerBytesMax})
      return Fail(Malformed(where, "has a layer without a size"));
    layer.bytes = static_cast<int64_t>(size.get<uint64_t>());
    return layer;
  }

  ImageDocuments& documents_;
  const std::string& architecture_;
};

}  // namespace

Status AddConfiguration(const std::string& text, const std::string& path, const std::string& image,
                        const std::string& architecture, ImagePlan& plan) {
  const json config = GP_TRY(ParseObject(text, path));
  const std::string platform = TextOf(config, "os") + "/" + TextOf(config, "architecture");
  if (platform != "linux/" + architecture)
    return Fail(InvalidArgument(image + " has an image for " + Printable(platform, 40) +
                                ", not for linux/" + architecture));
  const json& archives = MemberOf(MemberOf(config, "rootfs"), "diff_ids");
  if (!archives.is_array() || archives.size() != plan.layers.size())
    return Fail(Malformed(path, "does not name the archive of each layer"));
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    const std::string diff_id = archives[i].is_string() ? archives[i].get<std::string>() : "";
    if (!IsSha256Name(diff_id))
      return Fail(Malformed(path, "names an archive by what is no sha256 digest"));
    plan.layers[i].diff_id = diff_id;
  }
  const json& settings = MemberOf(config, "config");
  plan.working_directory = TextOf(settings, "WorkingDir");
  if (plan.working_directory.size() >= PATH_MAX ||
      plan.working_directory.find('\0') != std::string::npos)
    return Fail(Malformed(path, "names no directory that a program can work in"));
  return AddEnvironment(MemberOf(settings, "Env"), path, plan);
}

std::string ThisArchitecture() {
  utsname names{};
  uname(&names);
  const std::string machine = names.machine;
  return machine == "x86_64" ? "amd64" : machine == "aarch64" ? "arm64" : machine;
}

Result<ImagePlan> ReadImage(ImageDocuments& documents, const std::string& digest,
                            const std::string& architecture) {
  ImagePlan plan = GP_TRY(ManifestReader(documents, architecture).ReadFrom(digest, 0));
  plan.digest = digest;  // where it is an index, nodes of all architectures have this one
  return plan;
}

}  // namespace gp
