#include "adapters/outbound/images/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr size_t kTreeNamesMax = 1'100'000;  // more than a layer may have
constexpr size_t kTargetMax = 4'096;
constexpr std::string_view kOfUsers = "user.";

// What a disk or its file system answers for a file that it has lost.
bool IsOfDisk(int error) {
  return error == EIO || error == EUCLEAN || error == EBADMSG || error == ESTALE ||
         error == ENODATA;
}

Error CannotRead(const std::string& name, int error) {
  return Internal("cannot read " + Printable(name, 100) + ": " + std::strerror(error));
}

// Notes an error of the disk as a fact of the entry; others are the reader's.
Status Unreadable(const std::string& name, int error, TreeEntry& entry) {
  if (!IsOfDisk(error)) return Fail(CannotRead(name, error));
  entry.unreadable = std::strerror(error);
  return Ok();
}

char TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return 'f';
  if (S_ISDIR(mode)) return 'd';
  if (S_ISLNK(mode)) return 'l';
  if (S_ISCHR(mode)) return 'c';
  if (S_ISFIFO(mode)) return 'p';
  return '?';
}

// The names of a descriptor's attributes that users may set; an overlay's marks are among them.
// errno has the reason for nullopt.
std::optional<std::vector<std::string>> AttributeNames(const Descriptor& file) {
  const ssize_t needed = flistxattr(file.get(), nullptr, 0);
  if (needed < 0 && errno == EOPNOTSUPP) return std::vector<std::string>();
  if (needed < 0) return std::nullopt;
  std::string list(static_cast<size_t>(needed), '\0');
  const ssize_t size = flistxattr(file.get(), list.data(), list.size());
  if (size < 0) return std::nullopt;
  list.resize(static_cast<size_t>(size));
  std::vector<std::string> names;
  for (size_t at = 0; at < list.size();) {
    const std::string name = list.c_str() + at;
    at += name.size() + 1;
    if (name.starts_with(kOfUsers)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Status ReadAttributes(const Descriptor& file, const std::string& name, TreeEntry& entry) {
  const auto names = AttributeNames(file);
  if (!names) return Unreadable(name, errno, entry);
  if (names->empty()) return Ok();
  Sha256Stream digest;
  for (const std::string& attribute : *names) {
    std::string value(64 << 10, '\0');  // the most that the kernel keeps
    const ssize_t size = fgetxattr(file.get(), attribute.c_str(), value.data(), value.size());
    if (size < 0) return Unreadable(name, errno, entry);
    value.resize(static_cast<size_t>(size));
    digest.Add(attribute + '\0' + std::to_string(value.size()) + '\0');
    digest.Add(value);
  }
  entry.attributes = digest.End();
  return Ok();
}

Status ReadTarget(const Descriptor& directory, const std::string& name, TreeEntry& entry) {
  std::string target(kTargetMax, '\0');
  const ssize_t size = readlinkat(directory.get(), name.c_str(), target.data(), target.size());
  if (size < 0) return Unreadable(name, errno, entry);
  target.resize(static_cast<size_t>(size));
  entry.content = Sha256(target);
  return Ok();
}

// Names of a directory, sorted.
Result<std::vector<std::string>> NamesOf(const Descriptor& directory, const std::string& name,
                                         size_t names_max, TreeEntry& entry) {
  const int again = openat(directory.get(), ".", kOpenDirectory);
  if (again < 0) return Fail(CannotRead(name, errno));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(again), closedir);
  if (stream == nullptr) {
    close(again);
    return Fail(CannotRead(name, errno));
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const one = readdir(stream.get());
    if (one == nullptr) break;
    const std::string_view text = one->d_name;
    if (text == "." || text == "..") continue;
    if (names.size() >= names_max)
      return Fail(InvalidArgument("there are more files than a layer may have"));
    names.emplace_back(text);
  }
  if (errno != 0) GP_CHECK_OK(Unreadable(name, errno, entry));
  std::ranges::sort(names);
  return names;
}

}  // namespace

Result<std::optional<TreeEntry>> TreeWalk::Next() {
  if (!has_begun_) {
    has_begun_ = true;
    return GP_TRY(Read("."));
  }
  if (levels_.empty()) return std::nullopt;
  Level& level = levels_.back();
  if (level.next == level.names.size()) return GP_TRY(Leave());
  const std::string name = level.names[level.next++];
  return GP_TRY(Read(name));
}

std::string TreeWalk::Path() const {
  std::vector<std::string> words;
  for (size_t i = 1; i < levels_.size(); ++i) words.push_back(levels_[i].name);
  if (!last_.empty()) words.push_back(last_);
  return words.empty() ? "." : Join(words, "/");
}

Result<TreeEntry> TreeWalk::Read(const std::string& name) {
  TreeEntry entry;
  entry.name = name;
  last_ = name == "." ? "" : name;
  struct stat facts;
  if (fstatat(at_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    GP_CHECK_OK(Unreadable(name, errno, entry));
    return entry;
  }
  entry.type = TypeOf(facts.st_mode);
  entry.mode = facts.st_mode & 07777;
  entry.uid = facts.st_uid;
  entry.gid = facts.st_gid;
  if (name != ".") ++files_;
  if (entry.type == 'd') {
    GP_CHECK_OK(Enter(name, entry));
  } else if (entry.type == 'f') {
    entry.size = facts.st_size;
    GP_CHECK_OK(ReadFile(name, entry));
  } else if (entry.type == 'l') {
    entry.size = facts.st_size;
    GP_CHECK_OK(ReadTarget(at_, name, entry));
  } else {
    entry.size = static_cast<int64_t>(facts.st_rdev);
  }
  return entry;
}

Status TreeWalk::Enter(const std::string& name, TreeEntry& entry) {
  Descriptor directory(openat(at_.get(), name.c_str(), kOpenDirectory));
  if (!directory.valid()) return Unreadable(name, errno, entry);
  GP_CHECK_OK(ReadAttributes(directory, name, entry));
  struct stat facts;
  if (fstat(directory.get(), &facts) != 0) return Fail(CannotRead(name, errno));
  Level level{.name = name, .device = facts.st_dev, .inode = facts.st_ino};
  level.names = GP_TRY(NamesOf(directory, name, kTreeNamesMax - names_, entry));
  names_ += level.names.size();
  at_ = std::move(directory);
  levels_.push_back(std::move(level));
  last_.clear();
  return Ok();
}

// The way up leads where the way down came from.
Result<TreeEntry> TreeWalk::Leave() {
  names_ -= levels_.back().names.size();
  last_.clear();
  if (levels_.size() > 1) {
    Descriptor above(openat(at_.get(), "..", kOpenDirectory));
    const Level& expected = levels_[levels_.size() - 2];
    struct stat facts;
    if (!above.valid() || fstat(above.get(), &facts) != 0)
      return Fail(CannotRead(Path() + "/..", errno));
    if (facts.st_dev != expected.device || facts.st_ino != expected.inode)
      return Fail(Internal("the directories change while they are read"));
    at_ = std::move(above);
  }
  levels_.pop_back();
  return TreeEntry{.type = 'e'};
}

Status TreeWalk::ReadFile(const std::string& name, TreeEntry& entry) {
  const Descriptor file(openat(at_.get(), name.c_str(), kOpenFile));
  if (!file.valid()) return Unreadable(name, errno, entry);
  struct stat facts;
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return Fail(Internal("the directories change while they are read"));
  GP_CHECK_OK(ReadAttributes(file, name, entry));
  if (facts.st_nlink < 2) return ReadContent(file, name, entry);
  const auto [known, is_new] = linked_.try_emplace({facts.st_dev, facts.st_ino});
  if (!is_new) {
    entry.content = known->second;
    return Ok();
  }
  const Status read = ReadContent(file, name, entry);
  if (!read || entry.content.empty()) {
    linked_.erase(known);  // the next name is tried as well
  } else {
    known->second = entry.content;
  }
  return read;
}

Status TreeWalk::ReadContent(const Descriptor& file, const std::string& name, TreeEntry& entry) {
  if (from_disk_) posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Sha256Stream digest;
  while (true) {
    const ssize_t count = read(file.get(), piece_.data(), piece_.size());
    if (count < 0) return Unreadable(name, errno, entry);
    if (count == 0) break;
    digest.Add({piece_.data(), static_cast<size_t>(count)});
    bytes_ += count;
  }
  if (from_disk_) posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  entry.content = digest.End();
  return Ok();
}

}  // namespace gp
