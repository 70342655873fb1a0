#include "adapters/outbound/process/carried_programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "base/digest.h"
#include "files/replace_file.h"
#include "rsh/rsh_image.h"
#include "supervisor/supervisor_image.h"

namespace gp {
namespace {

constexpr char kRshName[] = "gpu-platform-rsh";

std::string_view Bytes(std::span<const unsigned char> image) {
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

std::string NameOf(const char* program, std::string_view bytes) {
  char digest[32];
  std::snprintf(digest, sizeof digest, "-%016llx",
                static_cast<unsigned long long>(Digest64(bytes)));
  return std::string(program) + digest;
}

Status Install(std::string_view bytes, const std::string& path, unsigned mode) {
  struct stat facts;
  const bool is_there = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                        facts.st_size == static_cast<off_t>(bytes.size()) &&
                        facts.st_uid == geteuid();
  // Synced, because a later start trusts the file by its name and size.
  return is_there ? Ok() : ReplaceFile(path, bytes, mode, Survives::kPowerCut);
}

}  // namespace

Result<std::string> InstallSupervisor(const std::string& directory) {
  const std::string_view bytes = Bytes(SupervisorImage());
  const std::string path = directory + "/" + NameOf("supervisor", bytes);
  GP_CHECK_OK(Install(bytes, path, 0700));
  return path;
}

Result<std::string> InstallRsh(const std::string& directory) {
  const std::string_view bytes = Bytes(rsh::RshImage());
  const std::string own = directory + "/" + NameOf("rsh", bytes);
  const bool is_made = mkdir(own.c_str(), 0755) == 0 || errno == EEXIST;
  if (!is_made || chmod(own.c_str(), 0755) != 0)  // whatever the umask is
    return Fail(Internal(own + ": " + std::strerror(errno)));
  const std::string path = own + "/" + kRshName;
  GP_CHECK_OK(Install(bytes, path, 0755));
  if (chmod(path.c_str(), 0755) != 0) return Fail(Internal(path + ": " + std::strerror(errno)));
  return own;
}

}  // namespace gp
