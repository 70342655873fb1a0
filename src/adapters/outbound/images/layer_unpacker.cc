#include "adapters/outbound/images/layer_unpacker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstring>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "adapters/outbound/images/archive_library.h"
#include "base/paths.h"
#include "base/text.h"
#include "files/descriptor.h"
#include "files/layer_marks.h"

namespace gp {
namespace {

constexpr std::string_view kRemoved = ".wh.";
constexpr std::string_view kOther = ".wh..wh.";  // of the file system that invented these names
constexpr std::string_view kOpaque = ".wh..wh..opq";
constexpr std::string_view kUserAttribute = "user.";
constexpr int64_t kBlock = 4'096;  // that a file takes at least, with its inode
constexpr size_t kPathMax = 4'095;
constexpr size_t kNameMax = 255;
constexpr size_t kRemovedBytesMax = 64 << 20;  // of all paths that a layer removes
constexpr size_t kAttributesBytesMax = 64 << 10;
constexpr int kHow = ARCHIVE_EXTRACT_OWNER | ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME |
                     ARCHIVE_EXTRACT_XATTR | ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                     ARCHIVE_EXTRACT_SECURE_SYMLINKS;

Error Full() { return {ErrorCode::kResourceExhausted, "there is no room for a layer"}; }

Error Refused(std::string_view path, const std::string& why) {
  return InvalidArgument("a layer has " + Printable(path, 100) + ", " + why);
}

// Of a call that failed; `path` as in the archive.
Error Failure(int error, std::string_view path, const std::string& why) {
  if (error == ENOSPC || error == EDQUOT)
    return Internal("the disk of unpacked images is full, or has no inodes left");
  if (error == EIO || error == EROFS || error == ENOMEM)
    return Internal("cannot unpack a layer: " + why);
  return Refused(path, "which cannot be unpacked: " + why);
}

// The components of a path in the archive; those that would lead elsewhere are refused.
Result<std::vector<std::string>> Components(std::string_view path) {
  std::vector<std::string> words;
  for (const std::string_view word : PathWords(path)) {
    if (word == ".") continue;
    if (word == "..") return Fail(Refused(path, "which leads out of it"));
    if (word.size() > kNameMax) return Fail(Refused(path, "whose name is too long"));
    words.emplace_back(word);
  }
  if (path.size() > kPathMax) return Fail(Refused(path, "whose path is too long"));
  return words;
}

// What the layer hides of those below it, marked once all of its own files are there.
class Removals {
 public:
  // Whether the path is a mark rather than a file.
  Result<bool> Take(const std::vector<std::string>& words, std::string_view path) {
    if (words.empty() || !words.back().starts_with(kRemoved)) return false;
    const std::string& name = words.back();
    std::string above = Join({words.begin(), words.end() - 1}, "/");
    // An overlay hides nothing below the root of a layer.
    if (name == kOpaque && above.empty())
      return Fail(Refused(path, "which removes all that is below the layer"));
    if (name == kOpaque) return Add(emptied_, std::move(above), path);
    if (name.starts_with(kOther)) return true;
    const std::string removed = name.substr(kRemoved.size());
    if (removed.empty() || removed == "." || removed == "..")
      return Fail(Refused(path, "which removes no file"));
    return Add(removed_, above.empty() ? removed : above + "/" + removed, path);
  }

  Status Mark() const {
    for (const std::string& path : emptied_) GP_CHECK_OK(Empty(path));
    for (const std::string& path : removed_) GP_CHECK_OK(Remove(path));
    return Ok();
  }

 private:
  using Paths = std::set<std::string>;

  Result<bool> Add(Paths& paths, std::string words, std::string_view path) {
    bytes_ += words.size();
    if (bytes_ > kRemovedBytesMax) return Fail(Refused(path, "and removes too many files"));
    paths.insert(std::move(words));
    return true;
  }

  static Error FailureAt(const std::string& path) {
    const int error = errno;
    return Failure(error, path, std::strerror(error));
  }

  // Made where it is missing; through no link.
  static Result<Descriptor> OpenDirectory(const std::string& path) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Descriptor directory(open(".", kFlags));
    for (const std::string_view word : PathWords(path)) {
      const std::string name(word);
      if (mkdirat(directory.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
        return Fail(FailureAt(path));
      directory = Descriptor(openat(directory.get(), name.c_str(), kFlags));
      if (!directory.valid()) return Fail(FailureAt(path));
    }
    return directory;
  }

  static Status Empty(const std::string& path) {
    const Descriptor directory = GP_TRY(OpenDirectory(path));
    if (fchdir(directory.get()) == 0 && HideContentInLowerLayers(".") && chdir("/") == 0)
      return Ok();
    return Fail(FailureAt(path));
  }

  // Lower layers show nothing there: a mark would be seen as the device file that it is.
  bool IsInEmptied(const std::string& path) const {
    for (size_t end = path.rfind('/'); end != std::string::npos && end > 0;
         end = path.rfind('/', end - 1)) {
      if (emptied_.contains(path.substr(0, end))) return true;
    }
    return false;
  }

  // What the layer itself has at the path stays: only that of lower layers is removed.
  Status Remove(const std::string& path) const {
    if (IsInEmptied(path)) return Ok();
    const size_t slash = path.rfind('/');
    const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    const Descriptor above =
        GP_TRY(OpenDirectory(slash == std::string::npos ? "" : path.substr(0, slash)));
    struct stat facts;
    if (fstatat(above.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0)
      return S_ISDIR(facts.st_mode) ? Empty(path) : Ok();
    if (fchdir(above.get()) == 0 && HideInLowerLayers(name.c_str()) && chdir("/") == 0) return Ok();
    return Fail(FailureAt(path));
  }

  Paths emptied_;
  Paths removed_;
  size_t bytes_ = 0;
};

}  // namespace

class LayerUnpacker::Parts {
 public:
  explicit Parts(const ArchiveLibrary& library) : library_(library) {}
  ~Parts() {
    if (disk_ != nullptr) library_.write_free(disk_);
    if (reader_ != nullptr) library_.read_free(reader_);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Result<UnpackedFiles> Run(int archive, const LayerLimits& limits) {
    archive_ = archive;
    limits_ = limits;
    GP_CHECK_OK(OpenArchive());
    while (archive_entry* const entry = GP_TRY(NextEntry())) GP_CHECK_OK(Unpack(entry));
    // Modes and times of directories are set at the end.
    if (library_.write_close(disk_) != ARCHIVE_OK) return Fail(DiskFailure(""));
    GP_CHECK_OK(removals_.Mark());
    while (read(archive_, buffer_, sizeof buffer_) > 0) {
    }
    return unpacked_;
  }

 private:
  static la_ssize_t ReadArchive(archive* reader, void* self, const void** buffer) {
    Parts& parts = *static_cast<Parts*>(self);
    const ssize_t count = read(parts.archive_, parts.buffer_, sizeof parts.buffer_);
    if (count < 0) parts.library_.set_error(reader, errno, "it cannot be read");
    *buffer = parts.buffer_;
    return count < 0 ? ARCHIVE_FATAL : count;
  }

  Status OpenArchive() {
    reader_ = library_.read_new();
    disk_ = library_.write_disk_new();
    if (reader_ == nullptr || disk_ == nullptr) return Fail(Internal("out of memory"));
    library_.read_support_format_tar(reader_);
    library_.read_support_format_empty(reader_);
    library_.write_disk_set_options(disk_, kHow);
    if (library_.read_open(reader_, this, nullptr, &ReadArchive, nullptr) == ARCHIVE_OK)
      return Ok();
    return Fail(ReadFailure());
  }

  Error ReadFailure() const {
    const char* const why = library_.error_string(reader_);
    return InvalidArgument("a layer is no tar archive: " +
                           Printable(why == nullptr ? "it is damaged" : why));
  }
  Error DiskFailure(std::string_view path) const {
    const char* const why = library_.error_string(disk_);
    return Failure(library_.errno_of(disk_), path, Printable(why == nullptr ? "" : why));
  }

  // Null: the end.
  Result<archive_entry*> NextEntry() {
    archive_entry* entry = nullptr;
    const int found = library_.read_next_header(reader_, &entry);
    if (found == ARCHIVE_EOF) return nullptr;
    if (found != ARCHIVE_OK && found != ARCHIVE_WARN) return Fail(ReadFailure());
    return entry;
  }

  Status Unpack(archive_entry* entry) {
    const char* const raw = library_.entry_pathname(entry);
    if (raw == nullptr) return Fail(InvalidArgument("a layer has a file whose name is not UTF-8"));
    const std::string path = raw;
    const std::vector<std::string> words = GP_TRY(Components(path));
    const std::string plain = words.empty() ? "." : Join(words, "/");
    GP_CHECK_OK(ChargeFor(words));
    const bool is_mark = GP_TRY(removals_.Take(words, path));
    if (is_mark && !limits_.has_marks)
      return Fail(Refused(path, "whose name means in images that a file is removed: rename it"));
    if (is_mark) return Ok();
    if (!IsUnpacked(entry)) return Ok();
    GP_CHECK_OK(CheckHardLink(entry, path));
    if (plain == "." && library_.entry_filetype(entry) != AE_IFDIR)
      return Fail(Refused(path, "which is its root but no directory"));
    library_.entry_set_pathname(entry, plain.c_str());
    GP_CHECK_OK(TakePrivileges(entry, path));
    if (library_.write_header(disk_, entry) != ARCHIVE_OK) return Fail(DiskFailure(path));
    GP_CHECK_OK(CopyContent(entry, path));
    if (library_.write_finish_entry(disk_) != ARCHIVE_OK) return Fail(DiskFailure(path));
    return Ok();
  }

  // Device files and sockets mean nothing in a job's root.
  bool IsUnpacked(archive_entry* entry) const {
    if (library_.entry_hardlink(entry) != nullptr) return true;
    const auto type = library_.entry_filetype(entry);
    return type == AE_IFREG || type == AE_IFDIR || type == AE_IFLNK || type == AE_IFIFO;
  }

  // It names a file of the same layer.
  Status CheckHardLink(archive_entry* entry, const std::string& path) const {
    const char* const target = library_.entry_hardlink(entry);
    if (target == nullptr) return Ok();
    const std::vector<std::string> words = GP_TRY(Components(target));
    if (words.empty()) return Fail(Refused(path, "which is a link to its root"));
    library_.entry_set_hardlink(entry, Join(words, "/").c_str());
    return Ok();
  }

  // Set-user-id bits and capabilities would be dead in the job, but not for a root that looks at
  // the store.
  Status TakePrivileges(archive_entry* entry, const std::string& path) {
    const auto type = library_.entry_filetype(entry);
    library_.entry_set_perm(entry, library_.entry_perm(entry) & (type == AE_IFDIR ? 03777 : 01777));
    std::vector<std::pair<std::string, std::string>> attributes;
    size_t bytes = 0;
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    library_.entry_xattr_reset(entry);
    while (library_.entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
      const std::string_view text = name == nullptr ? "" : name;
      const bool may_have = type == AE_IFREG || type == AE_IFDIR;
      if (!may_have || !text.starts_with(kUserAttribute) || text.starts_with(kLayerMarks)) continue;
      attributes.emplace_back(text, std::string(static_cast<const char*>(value), size));
      bytes += text.size() + size;
    }
    library_.entry_xattr_clear(entry);
    if (bytes > kAttributesBytesMax) return Fail(Refused(path, "which has too many attributes"));
    for (const auto& [kept_name, kept_value] : attributes)
      library_.entry_xattr_add_entry(entry, kept_name.c_str(), kept_value.data(),
                                     kept_value.size());
    return Charge(static_cast<int64_t>(bytes));
  }

  Status CopyContent(archive_entry* entry, const std::string& path) {
    if (library_.entry_hardlink(entry) == nullptr && library_.entry_filetype(entry) == AE_IFREG)
      GP_CHECK_OK(Charge(library_.entry_size(entry)));
    while (true) {
      const void* piece = nullptr;
      size_t size = 0;
      la_int64_t offset = 0;
      const int read = library_.read_data_block(reader_, &piece, &size, &offset);
      if (read == ARCHIVE_EOF) return Ok();
      if (read != ARCHIVE_OK && read != ARCHIVE_WARN) return Fail(ReadFailure());
      if (library_.write_data_block(disk_, piece, size, offset) < ARCHIVE_OK)
        return Fail(DiskFailure(path));
    }
  }

  // A file with holes counts as if it had none.
  Status Charge(int64_t bytes) {
    if (bytes < 0 || bytes > limits_.bytes_max - unpacked_.bytes) return Fail(Full());
    unpacked_.bytes += bytes;
    return Ok();
  }

  // The directories above a file are made where the layer leaves them out.
  Status ChargeFor(const std::vector<std::string>& words) {
    const auto [differs, unused] = std::ranges::mismatch(words, previous_);
    const auto made = std::max<int64_t>(1, std::distance(differs, words.end()));
    previous_ = words;
    unpacked_.files += made;
    if (unpacked_.files > limits_.files_max)
      return Fail(
          InvalidArgument("a layer has more than " + std::to_string(limits_.files_max) + " files"));
    return Charge(made * kBlock);
  }

  const ArchiveLibrary& library_;
  LayerLimits limits_;
  int archive_ = -1;
  archive* reader_ = nullptr;
  archive* disk_ = nullptr;
  Removals removals_;
  std::vector<std::string> previous_;  // path
  UnpackedFiles unpacked_;
  char buffer_[1 << 16];
};

LayerUnpacker::LayerUnpacker(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LayerUnpacker::LayerUnpacker(LayerUnpacker&&) noexcept = default;
LayerUnpacker::~LayerUnpacker() = default;

Result<LayerUnpacker> LayerUnpacker::Make() {
  const ArchiveLibrary* const library = GP_TRY(OpenArchiveLibrary());
  // Names in archives are UTF-8, and become the bytes of file names.
  if (setlocale(LC_CTYPE, "C.UTF-8") == nullptr)
    return Fail(Unsupported("the host has no locale C.UTF-8"));
  return LayerUnpacker(std::make_unique<Parts>(*library));
}

Result<UnpackedFiles> LayerUnpacker::Run(int archive, const LayerLimits& limits) {
  return parts_->Run(archive, limits);
}

}  // namespace gp
