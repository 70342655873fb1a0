#include "adapters/outbound/objects/servers/local_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/ignore_result.h"
#include "base/text.h"
#include "files/beneath.h"
#include "files/replace_file.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr size_t kLocalPiece = 1 << 20;
constexpr size_t kDepthMax = 256;  // of directories: each level is one more name in a path
constexpr mode_t kFileMode = 0644;

Error LocalError(const std::string& path, int error) {
  const std::string message = Printable(path, 300) + ": " + std::strerror(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR: return NotFound(message);
    case EACCES:
    case EPERM: return PermissionDenied(message);
    case EEXIST: return Conflict(message);
    default: return Internal(message);
  }
}

// Another one for other content, unless a program sets the time back on purpose.
std::string VersionOfFile(const struct stat& facts) {
  return std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec) + "-" +
         std::to_string(facts.st_ino);
}

ObjectEntry EntryOf(const std::string& path, const struct stat& facts) {
  ObjectEntry entry;
  entry.key = path;
  entry.size = facts.st_size;
  entry.version = VersionOfFile(facts);
  return entry;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

// One directory after another, so that few descriptors are open at a time.
class TreeWalk {
 public:
  TreeWalk(const Descriptor& top, size_t objects_max) : top_(top), objects_max_(objects_max) {}

  Result<ObjectTree> Run() {
    while (!waiting_.empty()) {
      const std::string path = std::move(waiting_.back());
      waiting_.pop_back();
      GP_CHECK_OK(Enter(path));
    }
    std::ranges::sort(tree_.entries, {}, &ObjectEntry::key);
    return std::move(tree_);
  }

 private:
  Status Enter(const std::string& path) {
    Descriptor opened = GP_TRY(OpenBeneath(top_.get(), path, O_RDONLY | O_DIRECTORY));
    const std::unique_ptr<DIR, CloseDirectory> directory(fdopendir(opened.get()));
    if (!directory) return Fail(LocalError(path, errno));
    const int fd = opened.Release();
    while (true) {
      errno = 0;
      const dirent* one = readdir(directory.get());
      if (one == nullptr) return errno == 0 ? Ok() : Fail(LocalError(path, errno));
      const std::string name = one->d_name;
      if (name != "." && name != "..")
        GP_CHECK_OK(Take(fd, name, path.empty() ? name : path + "/" + name));
    }
  }

  Status Take(int directory, const std::string& name, const std::string& path) {
    struct stat facts;
    if (fstatat(directory, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? Ok() : Fail(LocalError(path, errno));
    if (S_ISDIR(facts.st_mode)) {
      if (std::ranges::count(path, '/') >= static_cast<std::ptrdiff_t>(kDepthMax))
        return Fail(InvalidArgument(Printable(path) + ": is nested too deeply"));
      waiting_.push_back(path);
    } else if (S_ISREG(facts.st_mode)) {
      if (tree_.entries.size() >= objects_max_)
        return Fail({ErrorCode::kResourceExhausted,
                     "it has more than " + std::to_string(objects_max_) + " files"});
      tree_.entries.push_back(EntryOf(path, facts));
    } else {
      ++tree_.left_out;
    }
    return Ok();
  }

  const Descriptor& top_;
  const size_t objects_max_;
  std::vector<std::string> waiting_{""};
  ObjectTree tree_;
};

// The directory of the URL, or that in which its file is.
Result<Descriptor> OpenTop(const std::string& path) {
  Descriptor top(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) return Fail(LocalError(path, errno));
  return top;
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string DirectoryOf(const std::string& path) {
  const std::string above = PathAbove(path);
  return above.empty() ? "/" : above;
}

bool IsDirectory(const std::string& path) {
  struct stat facts;
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

Status WriteAll(const Descriptor& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return Fail(LocalError(path, errno));
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return Ok();
}

Status CopyInto(const Descriptor& file, const PutSource& source, const std::string& path) {
  for (int64_t at = 0; at < source.size; at += kLocalPiece) {
    const auto bytes = std::min(kLocalPiece, static_cast<size_t>(source.size - at));
    GP_CHECK_OK(WriteAll(file, GP_TRY(source.read(at, bytes)), path));
  }
  return fsync(file.get()) == 0 ? Ok() : Fail(LocalError(path, errno));
}

// Makes what is complete visible under its name.
Status Publish(const Descriptor& directory, const std::string& written, const std::string& name,
               bool create_only) {
  const int at = directory.get();
  const bool done = create_only ? linkat(at, written.c_str(), at, name.c_str(), 0) == 0
                                : renameat(at, written.c_str(), at, name.c_str()) == 0;
  const int error = errno;
  if (create_only || !done) unlinkat(at, written.c_str(), 0);
  return done ? SyncDirectory(at) : Fail(LocalError(name, error));
}

}  // namespace

Result<ObjectTree> ListBelow(const Descriptor& top, size_t objects_max) {
  return TreeWalk(top, objects_max).Run();
}

Result<ObjectEntry> EntryBelow(const Descriptor& top, const std::string& name) {
  const Descriptor file = GP_TRY(OpenBeneath(top.get(), name, O_RDONLY | O_NONBLOCK));
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return Fail(LocalError(name, errno));
  if (S_ISREG(facts.st_mode)) return EntryOf(name, facts);
  return Fail(InvalidArgument(Printable(name) + " is no regular file"));
}

Status CheckSameFile(const Descriptor& file, const ObjectEntry& entry) {
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return Fail(LocalError(entry.key, errno));
  const std::string now = VersionOfFile(facts);
  if (S_ISREG(facts.st_mode) && now == entry.version && facts.st_size == entry.size) return Ok();
  return Fail(Conflict(Printable(entry.key) + " has changed: its version was " + entry.version +
                       " and is now " + now));
}

Result<std::string> ReadExactly(const Descriptor& file, int64_t offset, size_t bytes) {
  std::string piece(bytes, '\0');
  size_t done = 0;
  while (done < bytes) {
    const ssize_t count =
        pread(file.get(), piece.data() + done, bytes - done, offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(LocalError("a file", errno));
    if (count == 0) return Fail(Conflict("a file has become shorter while it was read"));
    done += static_cast<size_t>(count);
  }
  return piece;
}

Result<ObjectTree> LocalFiles::List(const ObjectUrl& root) {
  const std::string path = WithoutSlashes(root.path);
  if (!IsDirectory(path)) {
    const auto file = GP_TRY(Look(root));
    if (!file) return Fail(NotFound("there is no such file or directory"));
    return ObjectTree{{*file}, file->version};
  }
  const Descriptor top = GP_TRY(OpenTop(path));
  ObjectTree tree = GP_TRY(ListBelow(top, objects_max_));
  if (tree.entries.empty()) return Fail(NotFound("there are no files"));
  return tree;
}

Result<ReadFacts> LocalFiles::Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                                   const ByteSink& sink) {
  const std::string path = WithoutSlashes(root.path);
  const bool is_directory = IsDirectory(path);
  const Descriptor top = GP_TRY(OpenTop(is_directory ? path : DirectoryOf(path)));
  const Descriptor file = GP_TRY(OpenBeneath(top.get(), entry.key, O_RDONLY | O_NONBLOCK));
  GP_CHECK_OK(CheckSameFile(file, entry));
  for (int64_t at = offset; at < entry.size;) {
    const auto bytes = std::min(kLocalPiece, static_cast<size_t>(entry.size - at));
    GP_CHECK_OK(sink(GP_TRY(ReadExactly(file, at, bytes))));
    at += static_cast<int64_t>(bytes);
  }
  GP_CHECK_OK(CheckSameFile(file, entry));
  return ReadFacts{};
}

Result<std::optional<ObjectEntry>> LocalFiles::Look(const ObjectUrl& url) {
  const std::string path = WithoutSlashes(url.path);
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return Fail(LocalError(path, errno));
  }
  if (!S_ISREG(facts.st_mode))
    return Fail(InvalidArgument(Printable(path) + " is no regular file"));
  return EntryOf(LastPartOf(path), facts);
}

Status LocalFiles::Put(const ObjectUrl& url, const PutSource& source, const PutOptions& options) {
  const std::string path = WithoutSlashes(url.path);
  std::error_code failed;
  std::filesystem::create_directories(DirectoryOf(path), failed);
  if (failed) return Fail(LocalError(DirectoryOf(path), failed.value()));
  const Descriptor directory = GP_TRY(OpenTop(DirectoryOf(path)));
  const std::string name = LastPartOf(path);
  const std::string written = ".gp-new-" + Sha256(name).substr(0, 16);
  unlinkat(directory.get(), written.c_str(), 0);  // of a process that was ended
  const Descriptor file =
      GP_TRY(OpenBeneath(directory.get(), written, O_WRONLY | O_CREAT | O_EXCL, kFileMode));
  Status done = CopyInto(file, source, path);
  if (!done) {
    unlinkat(directory.get(), written.c_str(), 0);
    return done;
  }
  return Publish(directory, written, name, options.create_only);
}

Status LocalFiles::Delete(const ObjectUrl& url) {
  const std::string path = WithoutSlashes(url.path);
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return Ok();
  return Fail(LocalError(path, errno));
}

}  // namespace gp
