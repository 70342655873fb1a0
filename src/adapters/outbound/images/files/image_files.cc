#include "adapters/outbound/images/files/image_files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "adapters/outbound/images/image_manifest.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kDiskBlock = 512;  // in which stat counts
constexpr size_t kShownMax = 100;

// Whether another try, or another node, may help.
bool IsOfHost(int error) { return error == EIO || error == ESTALE || error == ETIMEDOUT; }

Error CannotOpen(const std::string& path, int error) {
  const std::string message = "cannot open " + path + ": " + std::strerror(error);
  return IsOfHost(error) ? Internal(message) : InvalidArgument(message);
}

}  // namespace

Result<ImageFile> OpenImageFile(const std::string& path) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  Descriptor file(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (!file.valid()) return Fail(CannotOpen(path, errno));
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return Fail(CannotOpen(path, errno));
  if (!S_ISREG(facts.st_mode)) return Fail(InvalidArgument(path + " is no regular file"));
  return ImageFile{std::move(file), facts.st_size,
                   std::min<int64_t>(facts.st_size, facts.st_blocks * kDiskBlock)};
}

Result<ImageFile> OpenPart(const std::string& path, int64_t begin, int64_t length) {
  ImageFile file = GP_TRY(OpenImageFile(path));
  if (lseek(file.file.get(), begin, SEEK_SET) < 0) return Fail(CannotOpen(path, errno));
  file.begin = begin;
  file.bytes = length;
  file.bytes_on_disk = std::min(file.bytes_on_disk, length);
  file.is_part = true;
  return file;
}

void SetPlace(const ImageFile& blob, LayerPlan& layer) {
  layer.bytes = blob.bytes_on_disk;
  layer.begin = blob.begin;
  layer.length = blob.is_part ? blob.bytes : 0;
}

Result<std::string> ReadDocument(const ImageFile& file, const std::string& name) {
  if (file.bytes > kImageDocumentBytesMax)
    return Fail(InvalidArgument(name + " is larger than " +
                                std::to_string(kImageDocumentBytesMax >> 20) + " MiB"));
  std::string bytes(static_cast<size_t>(file.bytes), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0) return Fail(CannotOpen(name, errno));
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

ImageFiles ImageFiles::InDirectory(const std::string& path) { return ImageFiles(path); }

Result<ImageFiles> ImageFiles::InArchive(const std::string& path) {
  ImageFiles files(path);
  const ImageFile archive = GP_TRY(OpenImageFile(path));
  files.index_ = std::make_unique<ArchiveIndex>(
      GP_TRY(ReadArchiveIndex(archive.file.get(), archive.bytes, path)));
  return files;
}

std::string ImageFiles::NameOf(const std::string& member) const {
  const std::string shown = Printable(member, kShownMax);
  return index_ == nullptr ? path_ + "/" + shown : shown + " in " + path_;
}

Result<ImageFile> ImageFiles::Open(const std::string& member) const {
  if (index_ == nullptr) return OpenImageFile(path_ + "/" + member);
  const std::optional<ArchiveMember> found = FindMember(*index_, member);
  if (!found) return Fail(InvalidArgument(path_ + " has no file " + Printable(member, kShownMax)));
  return OpenPart(path_, found->offset, found->bytes);
}

Result<std::string> ImageFiles::Read(const std::string& member) const {
  return ReadDocument(GP_TRY(Open(member)), NameOf(member));
}

bool ImageFiles::Has(const std::string& member) const {
  return index_ == nullptr ? access((path_ + "/" + member).c_str(), F_OK) == 0
                           : FindMember(*index_, member).has_value();
}

}  // namespace gp
