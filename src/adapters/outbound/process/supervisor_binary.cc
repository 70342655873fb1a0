#include "adapters/outbound/process/supervisor_binary.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/digest.h"
#include "supervisor/attempt_record.h"
#include "supervisor/descriptor.h"
#include "supervisor/supervisor_image.h"

namespace gp {
namespace {

std::string_view ImageBytes() {
  const auto image = SupervisorImage();
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

std::string FileName(std::string_view image) {
  char name[64];
  std::snprintf(name, sizeof name, "supervisor-%016llx",
                static_cast<unsigned long long>(Digest64(image)));
  return name;
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count <= 0) return Fail(SystemError("write", count < 0 ? errno : ENOSPC));
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return Ok();
}

// Aside and then renamed, so that a program killed meanwhile leaves no half file under the name.
Status WriteExecutable(const std::string& path, std::string_view bytes) {
  const std::string aside = path + ".new";
  const Descriptor file(open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (!file.valid()) return Fail(SystemError("cannot create " + aside, errno));
  const Status written = WriteAll(file.get(), bytes);
  if (!written.has_value()) return Fail(written.error().Within(aside));
  if (rename(aside.c_str(), path.c_str()) != 0) {
    return Fail(SystemError("cannot rename " + aside, errno));
  }
  return Ok();
}

}  // namespace

Result<std::string> InstallSupervisor(const std::string& directory) {
  const std::string_view image = ImageBytes();
  const std::string path = directory + "/" + FileName(image);
  struct stat facts;
  const bool is_there = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                        facts.st_size == static_cast<off_t>(image.size()) &&
                        facts.st_uid == geteuid();
  if (!is_there) GP_CHECK_OK(WriteExecutable(path, image));
  return path;
}

}  // namespace gp
