#include "files/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kPathShownMax = 300;

Error CannotOpenBeneath(const std::string& path, int error) {
  const std::string message = Printable(path, kPathShownMax) + ": " + std::strerror(error);
  switch (error) {
    case ENOENT: return NotFound(message);
    case EEXIST: return Conflict(message);
    case EXDEV:
    case ELOOP:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG: return InvalidArgument(message);
    default: return Internal(message);
  }
}

}  // namespace

Result<Descriptor> OpenBeneath(int directory, const std::string& path, int flags, mode_t mode) {
  open_how how = {};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const char* name = path.empty() ? "." : path.c_str();
  long fd = -1;
  do {
    fd = syscall(SYS_openat2, directory, name, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  if (fd < 0) return Fail(CannotOpenBeneath(path, errno));
  return Descriptor(static_cast<int>(fd));
}

Result<Descriptor> MakeDirectoriesBeneath(int directory, const std::string& path, mode_t mode) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY;
  Result<Descriptor> whole = OpenBeneath(directory, path, kFlags);
  if (whole || whole.error().code != ErrorCode::kNotFound) return whole;
  Descriptor at = GP_TRY(OpenBeneath(directory, "", kFlags));
  for (const std::string& part : Split(path, '/')) {
    if (part.empty() || part == "." || part == "..")
      return Fail(InvalidArgument(Printable(path, kPathShownMax) + ": no path of directories"));
    if (mkdirat(at.get(), part.c_str(), mode) != 0 && errno != EEXIST)
      return Fail(CannotOpenBeneath(path, errno));
    at = GP_TRY(OpenBeneath(at.get(), part, kFlags));
  }
  return at;
}

std::string PathAbove(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string LastPartOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace gp
