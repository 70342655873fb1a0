#include "adapters/outbound/images/image_layout.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr off_t kDocumentBytesMax = 4 << 20;
constexpr int64_t kDiskBlock = 512;  // in which stat counts
constexpr int kIndexDepthMax = 3;
constexpr size_t kTagsShown = 8;
constexpr size_t kVariablesMax = 1'000;
constexpr size_t kEnvironmentBytesMax = 128 << 10;
constexpr size_t kShaDigits = 64;
constexpr std::string_view kSha256 = "sha256:";
constexpr char kTagAnnotation[] = "org.opencontainers.image.ref.name";

// Whether another try, or another node, may help.
bool IsOfHost(int error) { return error == EIO || error == ESTALE || error == ETIMEDOUT; }

Error CannotOpen(const std::string& path, int error) {
  const std::string message = "cannot open " + path + ": " + std::strerror(error);
  return IsOfHost(error) ? Internal(message) : InvalidArgument(message);
}

Result<Descriptor> OpenRegular(const std::string& path) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  Descriptor file(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (!file.valid()) return Fail(CannotOpen(path, errno));
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return Fail(CannotOpen(path, errno));
  if (!S_ISREG(facts.st_mode)) return Fail(InvalidArgument(path + " is no regular file"));
  return file;
}

Result<std::string> ReadDocument(const Descriptor& file, const std::string& path) {
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return Fail(CannotOpen(path, errno));
  if (facts.st_size > kDocumentBytesMax)
    return Fail(InvalidArgument(path + " is larger than " +
                                std::to_string(kDocumentBytesMax >> 20) + " MiB"));
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0) return Fail(CannotOpen(path, errno));
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

Error Malformed(const std::string& path, const std::string& what) {
  return InvalidArgument(path + " " + what);
}

Result<json> Parse(const std::string& text, const std::string& path) {
  json document = json::parse(text, nullptr, false);
  if (document.is_object()) return document;
  return Fail(Malformed(path, "is no JSON object"));
}

// Members that are missing or of another type count as empty.
const json& MemberOf(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}
std::string TextOf(const json& object, const char* name) {
  const json& member = MemberOf(object, name);
  return member.is_string() ? member.get<std::string>() : "";
}

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

class LayoutReader {
 public:
  LayoutReader(const LayoutImage& image, const std::string& architecture)
      : image_(image), architecture_(architecture) {}

  Result<ImagePlan> Read() {
    const std::string digest =
        image_.digest.empty() ? GP_TRY(DigestInIndex()) : std::string(image_.digest);
    ImagePlan plan = GP_TRY(ReadFrom(digest, 0));
    plan.digest = digest;  // where it is an index, nodes of all architectures have this one
    return plan;
  }

 private:
  // The blob with its content checked.
  Result<json> ReadBlob(const std::string& digest) {
    const std::string path = PathOf(digest);
    const Descriptor file = GP_TRY(OpenBlob(image_.path, digest));
    const std::string bytes = GP_TRY(ReadDocument(file, path));
    if (std::string(kSha256) + Sha256(bytes) != digest)
      return Fail(Malformed(path, "has other content than its name says: copy the image again"));
    return Parse(bytes, path);
  }
  std::string PathOf(const std::string& digest) const {
    return image_.path + "/blobs/sha256/" + Printable(digest.substr(kSha256.size()), kShaDigits);
  }

  Result<std::string> DigestInIndex() {
    const std::string path = image_.path + "/index.json";
    const Descriptor file = GP_TRY(OpenRegular(path));
    const json index = GP_TRY(Parse(GP_TRY(ReadDocument(file, path)), path));
    const json& manifests = MemberOf(index, "manifests");
    if (!manifests.is_array() || manifests.empty()) return Fail(Malformed(path, "has no image"));
    std::vector<const json*> fitting;
    for (const json& one : manifests) {
      if (image_.tag.empty() || TagOf(one) == image_.tag) fitting.push_back(&one);
    }
    if (fitting.size() == 1) return DigestOf(*fitting.front(), path);
    if (fitting.empty())
      return Fail(InvalidArgument(image_.path + " has no image with the tag " + image_.tag + ": " +
                                  TagsOf(manifests)));
    return Fail(InvalidArgument(image_.path + " has " + std::to_string(fitting.size()) + " images" +
                                (image_.tag.empty() ? "" : " with this tag") +
                                ": name one by its tag or digest; " + TagsOf(manifests)));
  }

  static Result<std::string> DigestOf(const json& descriptor, const std::string& where) {
    std::string digest = TextOf(descriptor, "digest");
    if (IsSha256Name(digest)) return digest;
    return Fail(Malformed(
        where, "names a blob by \"" + Printable(digest, 80) + "\", which is no sha256 digest"));
  }

  Result<ImagePlan> ReadFrom(const std::string& digest, int depth) {
    const json document = GP_TRY(ReadBlob(digest));
    if (MemberOf(document, "layers").is_array()) return ReadManifest(digest, document);
    const json& manifests = MemberOf(document, "manifests");
    if (!manifests.is_array() || depth >= kIndexDepthMax)
      return Fail(Malformed(PathOf(digest), "is neither a manifest nor an index of manifests"));
    std::vector<std::string> others;
    for (const json& one : manifests) {
      const json& platform = MemberOf(one, "platform");
      const std::string name = TextOf(platform, "os") + "/" + TextOf(platform, "architecture");
      if (name == "linux/" + architecture_)
        return ReadFrom(GP_TRY(DigestOf(one, PathOf(digest))), depth + 1);
      if (others.size() < kTagsShown) others.push_back(Printable(name, 40));
    }
    return Fail(InvalidArgument(image_.path + " has no image for linux/" + architecture_ +
                                ", only for " + Join(others, ", ")));
  }

  Result<ImagePlan> ReadManifest(const std::string& digest, const json& manifest) {
    ImagePlan plan;
    const std::string path = PathOf(digest);
    const json& layers = MemberOf(manifest, "layers");
    if (layers.empty() || layers.size() > kImageLayersMax)
      return Fail(Malformed(path, "has " + std::to_string(layers.size()) +
                                      " layers: an image has 1 to " +
                                      std::to_string(kImageLayersMax)));
    for (const json& layer : layers) {
      plan.layers.push_back(GP_TRY(ReadLayer(layer, path)));
      GP_CHECK_OK(TakeSize(plan.layers.back()));
    }
    const std::string config = GP_TRY(DigestOf(MemberOf(manifest, "config"), path));
    GP_CHECK_OK(AddConfig(GP_TRY(ReadBlob(config)), PathOf(config), plan));
    return plan;
  }

  // What room is made for is what is there: holes take none, and unpack to little.
  Status TakeSize(LayerPlan& layer) const {
    const Descriptor blob = GP_TRY(OpenBlob(image_.path, layer.digest));
    struct stat facts;
    if (fstat(blob.get(), &facts) != 0) return Fail(CannotOpen(PathOf(layer.digest), errno));
    const int64_t said = layer.bytes;
    layer.bytes = std::min<int64_t>(facts.st_size, facts.st_blocks * kDiskBlock);
    if (facts.st_size == said) return Ok();
    return Fail(
        Malformed(PathOf(layer.digest), "has " + std::to_string(facts.st_size) +
                                            " bytes, not the " + std::to_string(said) +
                                            " that its manifest says: copy the image again"));
  }

  static Result<LayerPlan> ReadLayer(const json& descriptor, const std::string& where) {
    LayerPlan layer;
    layer.digest = GP_TRY(DigestOf(descriptor, where));
    const std::string type = TextOf(descriptor, "mediaType");
    const bool is_known =
        std::ranges::any_of(std::initializer_list<const char*>{".tar", ".tar+gzip", ".tar+zstd",
                                                               ".tar.gzip", ".tar.zstd"},
                            [&](const char* ending) { return type.ends_with(ending); });
    if (!is_known)
      return Fail(Malformed(where, "has a layer of the type \"" + Printable(type, 80) +
                                       "\", which is no archive that can be unpacked"));
    const json& size = MemberOf(descriptor, "size");
    if (!size.is_number_unsigned() || size.get<uint64_t>() > uint64_t{1} << 50)
      return Fail(Malformed(where, "has a layer without a size"));
    layer.bytes = static_cast<int64_t>(size.get<uint64_t>());
    return layer;
  }

  Status AddConfig(const json& config, const std::string& path, ImagePlan& plan) const {
    const std::string platform = TextOf(config, "os") + "/" + TextOf(config, "architecture");
    if (platform != "linux/" + architecture_)
      return Fail(InvalidArgument(image_.path + " has an image for " + Printable(platform, 40) +
                                  ", not for linux/" + architecture_));
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

  static Status AddEnvironment(const json& variables, const std::string& path, ImagePlan& plan) {
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

  const LayoutImage& image_;
  const std::string& architecture_;
};

}  // namespace

std::string ThisArchitecture() {
  utsname names{};
  uname(&names);
  const std::string machine = names.machine;
  return machine == "x86_64" ? "amd64" : machine == "aarch64" ? "arm64" : machine;
}

Result<Descriptor> OpenBlob(const std::string& layout, const std::string& digest) {
  if (!IsSha256Name(digest)) return Fail(InvalidArgument("a blob's name is no sha256 digest"));
  return OpenRegular(layout + "/blobs/sha256/" + digest.substr(kSha256.size()));
}

Result<ImagePlan> ReadLayout(const LayoutImage& image, const std::string& architecture) {
  return LayoutReader(image, architecture).Read();
}

}  // namespace gp
