#include "adapters/outbound/cgroup/cgroup_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gp {
namespace {

ErrorCode CodeOf(int error) {
  switch (error) {
    case ENOENT: return ErrorCode::kNotFound;
    case EINVAL:
    case ERANGE:
    case ENOSPC:  // cpuset: the set would be empty
      return ErrorCode::kInvalidArgument;
    case EBUSY:
    case ENOTEMPTY: return ErrorCode::kConflict;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::kPermissionDenied;
    default: return ErrorCode::kInternal;
  }
}

std::unexpected<Error> FailWith(int error, std::string what) {
  return Fail({CodeOf(error), what + ": " + std::strerror(error)});
}

std::vector<std::string> ChildCgroups(const std::string& path) {
  std::vector<std::string> children;
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) return children;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") children.push_back(name);
  }
  closedir(directory);
  return children;
}

}  // namespace

Result<std::string> ReadCgroupFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FailWith(errno, "cannot read " + path);
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, count);
  const int error = errno;
  close(fd);
  if (count < 0) return FailWith(error, "cannot read " + path);
  return text;
}

Status WriteCgroupFile(const std::string& path, std::string_view value) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return FailWith(errno, "cannot open " + path);
  const ssize_t count = write(fd, value.data(), value.size());
  const int error = errno;
  close(fd);
  if (count < 0) return FailWith(error, "cannot write '" + std::string(value) + "' to " + path);
  return Ok();
}

Status MakeCgroup(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0) return Ok();
  if (errno != EEXIST) return FailWith(errno, "cannot create " + path);
  GP_CHECK_OK(RemoveCgroup(path));
  if (mkdir(path.c_str(), 0755) != 0) return FailWith(errno, "cannot create " + path);
  return Ok();
}

Status RemoveCgroup(const std::string& path) {
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return Ok();
  // Only a job of root can have created cgroups below its own.
  for (const std::string& child : ChildCgroups(path)) {
    GP_CHECK_OK(RemoveCgroup(path + "/" + child));
  }
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return Ok();
  return FailWith(errno, "cannot remove " + path);
}

bool HasWord(std::string_view text, std::string_view word) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find_first_of(" \n,", begin);
    if (end == std::string_view::npos) end = text.size();
    if (text.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace gp
