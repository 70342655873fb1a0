#include "adapters/outbound/images/image_layout.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adapters/outbound/images/json_members.h"
#include "base/digest.h"
#include "base/text.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr int64_t kDiskBlock = 512;  // in which stat counts
constexpr size_t kTagsShown = 8;
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
  if (facts.st_size > kImageDocumentBytesMax)
    return Fail(InvalidArgument(path + " is larger than " +
                                std::to_string(kImageDocumentBytesMax >> 20) + " MiB"));
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

Result<std::string> DigestInIndex(const LayeredImage& image) {
  const std::string path = image.path + "/index.json";
  const Descriptor file = GP_TRY(OpenRegular(path));
  const json index = GP_TRY(ParseObject(GP_TRY(ReadDocument(file, path)), path));
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

class LayoutDocuments : public ImageDocuments {
 public:
  explicit LayoutDocuments(const std::string& path) : path_(path) {}

  std::string Name() const override { return path_; }
  std::string NameOf(const std::string& digest) const override {
    return path_ + "/blobs/sha256/" + Printable(digest.substr(kSha256.size()), kShaDigits);
  }
  Result<std::string> Manifest(const std::string& digest) override { return Read(digest); }
  Result<std::string> Config(const std::string& digest, const std::string&) override {
    return Read(digest);
  }
  // What room is made for is what is there: holes take none, and unpack to little.
  Result<int64_t> BytesOf(const std::string& layer, int64_t said) override {
    const Descriptor blob = GP_TRY(OpenBlob(path_, layer));
    struct stat facts;
    if (fstat(blob.get(), &facts) != 0) return Fail(CannotOpen(NameOf(layer), errno));
    if (facts.st_size == said)
      return std::min<int64_t>(facts.st_size, facts.st_blocks * kDiskBlock);
    return Fail(Malformed(NameOf(layer), "has " + std::to_string(facts.st_size) +
                                             " bytes, not the " + std::to_string(said) +
                                             " that its manifest says: copy the image again"));
  }

 private:
  Result<std::string> Read(const std::string& digest) const {
    const Descriptor file = GP_TRY(OpenBlob(path_, digest));
    return ReadDocument(file, NameOf(digest));
  }

  const std::string& path_;
};

}  // namespace

Result<Descriptor> OpenBlob(const std::string& layout, const std::string& digest) {
  if (!IsSha256Name(digest)) return Fail(InvalidArgument("a blob's name is no sha256 digest"));
  return OpenRegular(layout + "/blobs/sha256/" + digest.substr(kSha256.size()));
}

Result<ImagePlan> ReadLayout(const LayeredImage& image, const std::string& architecture) {
  const std::string digest =
      image.digest.empty() ? GP_TRY(DigestInIndex(image)) : std::string(image.digest);
  LayoutDocuments documents(image.path);
  return ReadImage(documents, digest, architecture);
}

}  // namespace gp
