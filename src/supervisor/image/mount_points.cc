#include "supervisor/image/mount_points.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "supervisor/process/child_process.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr uint64_t kInTree = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;

Error CannotMake(const std::string& path, int error) {
  return ErrorOfJob("cannot make " + path + " in the image", error);
}

Descriptor OpenDirectoryIn(int tree, const std::string& path, uint64_t resolve) {
  open_how how = {};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = resolve;
  return Descriptor(static_cast<int>(syscall(SYS_openat2, tree, path.c_str(), &how, sizeof how)));
}

}  // namespace

bool IsSameFile(const Descriptor& a, int b) {
  struct stat left;
  struct stat right;
  return fstat(a.get(), &left) == 0 && fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

Descriptor OpenBelow(int directory, const std::string& path) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  return Descriptor(
      static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
}

Result<Descriptor> MakeDirectoryIn(int tree, const std::string& path) {
  Descriptor at = OpenDirectoryIn(tree, "/", kInTree | RESOLVE_NO_XDEV);
  for (size_t begin = 1; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string so_far = path.substr(0, end);
    Descriptor next = OpenDirectoryIn(tree, so_far, kInTree | RESOLVE_NO_XDEV);
    if (!next.valid() && errno == ENOENT) {
      if (mkdirat(at.get(), path.substr(begin, end - begin).c_str(), 0755) != 0)
        return Fail(CannotMake(so_far, errno));
      next = OpenDirectoryIn(tree, so_far, kInTree | RESOLVE_NO_XDEV);
    }
    if (!next.valid()) return Fail(CannotMake(so_far, errno));
    at = std::move(next);
    begin = end + 1;
  }
  // What is mounted over the root would hide all that is shown in it.
  if (path.size() > 1 && IsSameFile(at, tree))
    return Fail(InvalidArgument(path + " in the image is a link to its root"));
  return at;
}

Result<Descriptor> MakeFileIn(int tree, const std::string& path) {
  const size_t slash = path.rfind('/');
  const Descriptor directory = GP_TRY(MakeDirectoryIn(tree, path.substr(0, slash)));
  const std::string name = path.substr(slash + 1);
  struct stat facts;
  const bool is_there = fstatat(directory.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there || !S_ISREG(facts.st_mode)) {
    if (is_there && unlinkat(directory.get(), name.c_str(), 0) != 0)
      return Fail(CannotMake(path, errno));
    const Descriptor made(openat(directory.get(), name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!made.valid()) return Fail(CannotMake(path, errno));
  }
  Descriptor file(openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return Fail(CannotMake(path, errno));
  return file;
}

}  // namespace gp
