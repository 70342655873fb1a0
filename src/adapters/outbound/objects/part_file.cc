#include "adapters/outbound/objects/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adapters/outbound/objects/servers/local_files.h"
#include "base/text.h"
#include "files/beneath.h"
#include "files/replace_file.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr int64_t kResumedMin = 1 << 20;  // smaller objects are read again
constexpr size_t kRereadPiece = 1 << 20;
constexpr off_t kNoteBytesMax = 64 << 10;
constexpr mode_t kPartMode = 0644;
constexpr mode_t kDirectoryMode = 0755;

Error PartError(const std::string& what) {
  return Internal("cannot write " + Printable(what, 200) + ": " + std::strerror(errno));
}

// What a note beside the part says; "": nothing.
std::string ReadNote(int parts, const std::string& name) {
  const auto file = OpenBeneath(parts, name, O_RDONLY);
  struct stat facts;
  if (!file || fstat(file->get(), &facts) != 0 || facts.st_size > kNoteBytesMax) return "";
  return ReadExactly(*file, 0, static_cast<size_t>(facts.st_size)).value_or("");
}

}  // namespace

// Objects may have names that are too long for one of a file.
PartFile::PartFile(int parts, const ObjectEntry& entry)
    : parts_(parts), entry_(entry), file_name_(Sha256(entry.Name()).substr(0, 32)) {}

bool PartFile::CanResume() const { return entry_.size >= kResumedMin && !entry_.version.empty(); }

Result<PartFile> PartFile::Open(int parts, const ObjectEntry& entry) {
  PartFile part(parts, entry);
  const bool goes_on = part.CanResume() && GP_TRY(part.CheckNotedVersion());
  GP_CHECK_OK(part.OpenFile());
  if (goes_on && part.size_ <= entry.size) {
    // The last byte is read again: with it, the server says the digest of all of them.
    part.size_ = std::min(part.size_, entry.size - 1);
    GP_CHECK_OK(part.DigestExisting());
    return part;
  }
  GP_CHECK_OK(part.Restart());
  if (part.CanResume()) GP_CHECK_OK(part.NoteVersion());
  return part;
}

Status PartFile::OpenFile() {
  file_ = GP_TRY(OpenBeneath(parts_, file_name_, O_RDWR | O_CREAT, kPartMode));
  struct stat facts;
  if (fstat(file_.get(), &facts) != 0) return Fail(PartError(entry_.Name()));
  if (!S_ISREG(facts.st_mode)) return Fail(Internal(file_name_ + " is no regular file"));
  size_ = facts.st_size;
  return Ok();
}

Status PartFile::NoteVersion() const {
  const json note = {{"name", entry_.Name()}, {"version", entry_.version}, {"size", entry_.size}};
  return ReplaceFileAt(parts_, file_name_ + ".json",
                       note.dump(-1, ' ', false, json::error_handler_t::replace), kPartMode,
                       Survives::kCrash);
}

Result<bool> PartFile::CheckNotedVersion() {
  const json note = json::parse(ReadNote(parts_, file_name_ + ".json"), nullptr, false);
  if (!note.is_object() || !note.contains("version") || !note["version"].is_string()) return false;
  const std::string before = note["version"].get<std::string>();
  if (before == entry_.version) return true;
  Remove();
  return Fail(Conflict("it has changed since the transfer began: its version was " +
                       Printable(before, 100) + " and is now " + Printable(entry_.version, 100)));
}

void PartFile::StartDigests() {
  sha256_.reset();
  md5_.reset();
  git_sha1_.reset();
  sha256_.emplace(HashStream::Kind::kSha256);
  if (!entry_.md5.empty()) md5_.emplace(HashStream::Kind::kMd5);
  if (entry_.git_sha1.empty()) return;
  git_sha1_.emplace(HashStream::Kind::kSha1);
  std::string head = "blob " + std::to_string(entry_.size);
  head.push_back('\0');
  git_sha1_->Add(head);
}

void PartFile::Digest(std::string_view bytes) {
  sha256_->Add(bytes);
  if (md5_) md5_->Add(bytes);
  if (git_sha1_) git_sha1_->Add(bytes);
}

Status PartFile::DigestExisting() {
  StartDigests();
  for (int64_t at = 0; at < size_;) {
    const auto bytes = std::min(kRereadPiece, static_cast<size_t>(size_ - at));
    Digest(GP_TRY(ReadExactly(file_, at, bytes)));
    at += static_cast<int64_t>(bytes);
  }
  return Ok();
}

Status PartFile::Restart() {
  if (ftruncate(file_.get(), 0) != 0) return Fail(PartError(entry_.Name()));
  size_ = 0;
  StartDigests();
  return Ok();
}

Status PartFile::Append(std::string_view bytes) {
  Digest(bytes);
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file_.get(), bytes.data(), bytes.size(), size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(PartError(entry_.Name()));
    bytes.remove_prefix(static_cast<size_t>(count));
    size_ += count;
  }
  return Ok();
}

ObjectDigests PartFile::End() {
  return {.sha256 = HexText(sha256_->End()),
          .md5 = md5_ ? HexText(md5_->End()) : "",
          .git_sha1 = git_sha1_ ? HexText(git_sha1_->End()) : ""};
}

Status PartFile::MoveTo(int directory, const std::string& name) {
  if (fsync(file_.get()) != 0) return Fail(PartError(name));
  const Descriptor above =
      GP_TRY(MakeDirectoriesBeneath(directory, PathAbove(name), kDirectoryMode));
  if (renameat(parts_, file_name_.c_str(), above.get(), LastPartOf(name).c_str()) != 0) {
    if (errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST)
      return Fail(InvalidArgument(Printable(name, 200) + " is a directory already"));
    return Fail(PartError(name));
  }
  unlinkat(parts_, (file_name_ + ".json").c_str(), 0);
  return Ok();
}

void PartFile::Remove() {
  unlinkat(parts_, file_name_.c_str(), 0);
  unlinkat(parts_, (file_name_ + ".json").c_str(), 0);
}

}  // namespace gp
