#include "supervisor/image/mount_points.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "files/descriptor.h"

namespace gp {
namespace {

Error OfImage(const std::string& path, int error) {
  return InvalidArgument("cannot make " + path + " in the image: " + std::strerror(error));
}

}  // namespace

Status MakeDirectories(const std::string& path) {
  if (path.empty()) return Ok();
  for (size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat facts;
    if (mkdir(part.c_str(), 0755) != 0) {
      if (errno != EEXIST || stat(part.c_str(), &facts) != 0) return Fail(OfImage(part, errno));
      if (!S_ISDIR(facts.st_mode)) return Fail(OfImage(part, ENOTDIR));
    }
    if (end == std::string::npos) return Ok();
  }
}

Status MakeMountFile(const std::string& path) {
  GP_CHECK_OK(MakeDirectories(path.substr(0, path.rfind('/'))));
  struct stat facts;
  if (lstat(path.c_str(), &facts) == 0) {
    if (S_ISREG(facts.st_mode)) return Ok();
    if (unlink(path.c_str()) != 0) return Fail(OfImage(path, errno));
  }
  const Descriptor made(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  return made.valid() ? Ok() : Status(Fail(OfImage(path, errno)));
}

}  // namespace gp
