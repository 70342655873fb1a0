#include "adapters/outbound/objects/object_archive.h"

#include <filesystem>
#include <utility>

#include "adapters/outbound/objects/retries.h"
#include "adapters/outbound/objects/servers/make_server.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

// The next turn of a copy tries again, so none hangs for long.
constexpr Duration kStall = Duration::Seconds(2);
constexpr Duration kSilence = Duration::Seconds(5);
constexpr Duration kReadStall = Duration::Seconds(30);
constexpr size_t kArchiveObjectsMax = 20'000'000;
constexpr size_t kObjectBytesMax = size_t{4} << 30;

}  // namespace

Result<ObjectUrl> ParseArchiveUrl(const std::string& url) {
  ObjectUrl root = GP_TRY(ParseObjectUrl(url));
  const bool is_store = root.scheme == ObjectScheme::kS3 || root.scheme == ObjectScheme::kGs ||
                        root.scheme == ObjectScheme::kFile;
  if (is_store) return root;
  return Fail(InvalidArgument(
      "an archive is at s3://bucket/prefix, gs://bucket/prefix or file:///directory, not at " +
      url));
}

Result<std::unique_ptr<ObjectArchive>> ObjectArchive::Open(const std::string& url,
                                                           const std::string& credentials) {
  ObjectUrl root = GP_TRY(ParseArchiveUrl(url));
  const ObjectCredentials keys = GP_TRY(ParseObjectCredentials(root.scheme, credentials));
  WebAccess access;
  access.rules = GP_TRY(AddressRules::Parse({"0.0.0.0/0", "::/0"}));
  access.retries = {Duration::Milliseconds(100), Duration::Seconds(2), kStall};
  access.idle = kSilence;
  access.objects_max = kArchiveObjectsMax;
  auto server = MakeObjectServer(root.scheme, keys, std::move(access));
  return std::make_unique<ObjectArchive>(std::move(server), std::move(root));
}

ObjectUrl ObjectArchive::UrlOf(const std::string& name) const {
  ObjectUrl url = root_;
  if (!url.path.empty() && !url.path.ends_with('/') && !name.empty()) url.path += "/";
  url.path += name;
  return url;
}

Error ObjectArchive::Within(const Error& error, const std::string& name) const {
  return error.Within(ToText(UrlOf(name)));
}

// A directory that is not mounted must not be taken for an archive that is empty.
Status ObjectArchive::CheckRoot() const {
  std::error_code ignored;
  if (root_.scheme != ObjectScheme::kFile || std::filesystem::is_directory(root_.path, ignored))
    return Ok();
  return Fail(Unavailable(ToText(root_) + ": is not there; mount it, or make the directory"));
}

Result<std::vector<StoredObject>> ObjectArchive::List(const std::string& folder) {
  GP_CHECK_OK(CheckRoot());
  // A slash at the end: never an object of this name.
  const ObjectUrl url = UrlOf(folder.empty() ? "" : folder + "/");
  auto tree = server_->List(url);
  std::vector<StoredObject> objects;
  if (!tree && tree.error().code == ErrorCode::kNotFound) return objects;
  if (!tree) return Fail(Within(tree.error(), folder));
  const std::string above = folder.empty() ? "" : folder + "/";
  for (const ObjectEntry& entry : tree->entries) {
    const std::string name = entry.Name();
    // A directory may have what a crash has left of a file that was being written.
    const bool is_hidden = name[name.rfind('/') + 1] == '.';
    if (!is_hidden) objects.push_back({above + name, entry.size, entry.version});
  }
  return objects;
}

Result<std::string> ObjectArchive::Get(const StoredObject& object) {
  Retries retries({Duration::Milliseconds(100), Duration::Seconds(2), kReadStall},
                  server_->stop_fd());
  for (;;) {
    auto bytes = GetOnce(object);
    if (bytes || !IsTransient(bytes.error()) || !retries.Wait(bytes.error(), server_->AskedWait()))
      return bytes;
  }
}

Result<std::string> ObjectArchive::GetOnce(const StoredObject& object) {
  GP_CHECK_OK(CheckRoot());
  const ObjectUrl url = UrlOf(object.name);
  const auto entry = server_->Look(url);
  if (!entry) return Fail(Within(entry.error(), object.name));
  if (!*entry) return Fail(NotFound(ToText(url) + ": is not there"));
  if (static_cast<uint64_t>((*entry)->size) > kObjectBytesMax)
    return Fail(InvalidArgument(ToText(url) + ": too large for an archive"));
  std::string bytes;
  bytes.reserve(static_cast<size_t>((*entry)->size));
  const auto read = server_->Read(url, **entry, 0, [&](std::string_view piece) {
    bytes += piece;
    return Ok();
  });
  if (!read) return Fail(Within(read.error(), object.name));
  return bytes;
}

Status ObjectArchive::PutBytes(const std::string& name, std::string_view bytes, bool create_only) {
  GP_CHECK_OK(CheckRoot());
  PutSource source;
  source.size = static_cast<int64_t>(bytes.size());
  source.sha256 = Sha256(bytes);
  source.read = [bytes](int64_t offset, size_t count) -> Result<std::string> {
    return std::string(bytes.substr(static_cast<size_t>(offset), count));
  };
  const Status put = server_->Put(UrlOf(name), source, {.create_only = create_only});
  return put ? Ok() : Status(Fail(Within(put.error(), name)));
}

Status ObjectArchive::Put(const std::string& name, std::string_view bytes) {
  return PutBytes(name, bytes, /*create_only=*/false);
}

Status ObjectArchive::PutNew(const std::string& name, std::string_view bytes) {
  return PutBytes(name, bytes, /*create_only=*/true);
}

Status ObjectArchive::Delete(const std::string& name) {
  const Status deleted = server_->Delete(UrlOf(name));
  return deleted ? Ok() : Status(Fail(Within(deleted.error(), name)));
}

}  // namespace gp
