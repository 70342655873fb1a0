#include "adapters/outbound/objects/copies.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "adapters/outbound/objects/manifest.h"
#include "adapters/outbound/objects/tree_names.h"
#include "adapters/outbound/objects/upload.h"
#include "base/text.h"
#include "domain/model/jobs/checkpoint.h"
#include "files/beneath.h"
#include "files/replace_file.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

// The object of a path that is a file.
constexpr char kOfFile[] = ".gp-file";
constexpr size_t kManifestBytesMax = 512 << 20;  // of a million files

Error AtPath(const std::string& path) {
  const std::string message = Printable(path, 300) + ": " + std::strerror(errno);
  return errno == ENOENT   ? NotFound(message)
         : errno == EACCES ? PermissionDenied(message)
                           : Internal(message);
}

Result<Descriptor> OpenDirectoryOf(const std::string& path) {
  Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) return directory;
  return Fail(AtPath(path));
}

bool IsThere(const std::string& path) {
  struct stat facts;
  return lstat(path.c_str(), &facts) == 0;
}

// Where the files are until all are there, beside the path; removed at the end, however that is.
class Unfinished {
 public:
  static Result<Unfinished> MakeBeside(const std::string& path) {
    std::error_code failed;
    fs::create_directories(fs::path(path).parent_path(), failed);
    std::string place = path + ".gp-restore-XXXXXX";
    if (mkdtemp(place.data()) == nullptr) return Fail(AtPath(place));
    return Unfinished(std::move(place));
  }
  Unfinished(Unfinished&& other) noexcept : place_(std::exchange(other.place_, "")) {}
  ~Unfinished() {
    std::error_code failed;
    if (!place_.empty()) fs::remove_all(place_, failed);
  }

  const std::string& place() const { return place_; }
  // What is at the path, if anything, is another one, and goes.
  Status Become(const std::string& path) const {
    const std::string single = place_ + "/" + kOfFile;
    const std::string& from = access(single.c_str(), F_OK) == 0 ? single : place_;
    if (IsThere(path)) {
      const std::string old = place_ + ".old";
      if (rename(path.c_str(), old.c_str()) != 0) return Fail(AtPath(path));
      std::error_code failed;
      if (rename(from.c_str(), path.c_str()) == 0) fs::remove_all(old, failed);
    } else if (rename(from.c_str(), path.c_str()) != 0) {
      return Fail(AtPath(path));
    }
    return SyncDirectory(GP_TRY(OpenDirectoryOf(fs::path(path).parent_path())).get());
  }

 private:
  explicit Unfinished(std::string place) : place_(std::move(place)) {}

  std::string place_;
};

// nullopt: there is no complete upload, or these credentials may not look.
Result<std::optional<Manifest>> ManifestAt(ObjectServer& server, const ObjectUrl& root) {
  const ObjectUrl url = UrlBelow(root, kManifestName);
  const auto entry = server.Look(url);
  if (!entry && entry.error().code == ErrorCode::kPermissionDenied) return std::nullopt;
  if (!entry) return Fail(entry.error());
  if (!*entry) return std::nullopt;
  std::string text;
  GP_TRY(server.Read(url, **entry, 0, [&text](std::string_view piece) -> Status {
    if (text.size() + piece.size() > kManifestBytesMax)
      return Fail(InvalidArgument("its list of files is too long"));
    text += piece;
    return Ok();
  }));
  return GP_TRY(ReadManifest(text));
}

bool HasContent(const std::string& path, const ManifestFile& file) {
  const Descriptor opened(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts;
  if (!opened.valid() || fstat(opened.get(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      facts.st_size != file.size)
    return false;
  const auto sha256 = Sha256OfFile(opened, file.size);
  return sha256 && *sha256 == file.sha256;
}

// Whether the path has all files of the list, with their content.
bool IsSame(const std::string& path, const Manifest& manifest) {
  const bool is_file = manifest.files.size() == 1 && manifest.files.front().name == kOfFile;
  return std::ranges::all_of(manifest.files, [&](const ManifestFile& file) {
    return HasContent(is_file ? path : path + "/" + file.name, file);
  });
}

}  // namespace

Result<TransferReport> SendPath(ObjectServer& server, const std::string& path,
                                const ObjectUrl& root, bool is_fixed,
                                const TransferOptions& options) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return Fail(AtPath(path));
  if (is_fixed) {
    const auto there = GP_TRY(ManifestAt(server, root));
    if (there && IsSame(path, *there)) return TransferReport{};
  }
  if (S_ISDIR(facts.st_mode)) return Upload(server, GP_TRY(OpenDirectoryOf(path)), root, options);
  const fs::path above = fs::path(path).parent_path();
  TransferOptions of_file = options;
  of_file.single = {.name = LastPartOf(path), .as = kOfFile};
  return Upload(server, GP_TRY(OpenDirectoryOf(above)), root, of_file);
}

Result<TransferReport> RestorePath(ObjectServer& server, const ObjectUrl& root,
                                   const std::string& path, const TransferOptions& options) {
  const auto manifest = GP_TRY(ManifestAt(server, root));
  if (!manifest) return Fail(NotFound("there is no complete copy of " + Printable(path, 300)));
  if (IsThere(path) && IsSame(path, *manifest)) return TransferReport{};
  const Unfinished unfinished = GP_TRY(Unfinished::MakeBeside(path));
  const Descriptor directory = GP_TRY(OpenDirectoryOf(unfinished.place()));
  TransferReport report = GP_TRY(Download(server, root, directory, options));
  unlinkat(directory.get(), kManifestName, 0);  // what was sent had none
  GP_CHECK_OK(unfinished.Become(path));
  return report;
}

Status RemoveReplacedCopies(ObjectServer& server, const ObjectUrl& copy,
                            const std::vector<std::string>& staying) {
  if (staying.empty()) return Ok();
  ObjectUrl above = copy;
  above.path = PathAbove(copy.path);
  const ObjectTree tree = GP_TRY(server.List(above));
  std::set<std::string> manifests_gone;
  for (const ObjectEntry& entry : tree.entries) {
    const std::string name = entry.Name();
    const std::string first = name.substr(0, name.find('/'));
    if (!IsReplacedCopy(first, staying)) continue;
    // First, so that what is left of it is no complete copy.
    if (manifests_gone.insert(first).second)
      GP_CHECK_OK(server.Delete(UrlBelow(above, first + "/" + kManifestName)));
    if (LastPartOf(name) != kManifestName) GP_CHECK_OK(server.Delete(UrlBelow(above, name)));
  }
  return Ok();
}

}  // namespace gp
