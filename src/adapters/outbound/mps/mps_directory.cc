#include "adapters/outbound/mps/mps_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "files/descriptor.h"
#include "supervisor/files/remove_tree.h"

namespace gp {
namespace {

constexpr size_t kSocketNameMax = 24;  // "/control_privileged", and some spare bytes
constexpr size_t kPathMax = sizeof(sockaddr_un::sun_path) - kSocketNameMax;

std::string NameOf(int minor, uint32_t uid) {
  return std::to_string(minor) + "-" + std::to_string(uid);
}

Error SystemFault(const std::string& path) { return Internal(path + ": " + std::strerror(errno)); }

// Users may traverse it but cannot list it.
Result<Descriptor> OpenBase(const std::string& base) {
  if (mkdir(base.c_str(), 0711) != 0 && errno != EEXIST) return Fail(SystemFault(base));
  Descriptor directory(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory.valid() || fchmod(directory.get(), 0711) != 0) return Fail(SystemFault(base));
  return directory;
}

}  // namespace

Result<std::string> MakeMpsDirectory(const std::string& base, int minor, uint32_t uid,
                                     uint32_t gid) {
  const std::string name = NameOf(minor, uid);
  const std::string path = base + "/" + name;
  if (path.size() > kPathMax) {
    return Fail(InvalidArgument(
        path + ": too long for the address of a socket; give the agent a --state of at most " +
        std::to_string(kPathMax - (path.size() - base.size()) - 4) + " bytes"));
  }
  const Descriptor parent = GP_TRY(OpenBase(base));
  RemoveTree(parent.get(), name.c_str());
  if (mkdirat(parent.get(), name.c_str(), 0700) != 0) return Fail(SystemFault(path));
  const Descriptor made(
      openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  const bool owned = made.valid() && (uid == geteuid() || fchown(made.get(), uid, gid) == 0);
  if (!owned) return Fail(SystemFault(path));
  return path;
}

void RemoveMpsDirectory(const std::string& base, int minor, uint32_t uid) {
  const Descriptor parent(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (parent.valid()) RemoveTree(parent.get(), NameOf(minor, uid).c_str());
}

bool HasMpsDirectory(const std::string& base, int minor) {
  std::error_code error;
  const std::string prefix = std::to_string(minor) + "-";
  for (const auto& entry : std::filesystem::directory_iterator(base, error)) {
    if (entry.path().filename().string().starts_with(prefix)) return true;
  }
  return false;
}

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (const std::string& directory : Split(path == nullptr ? "" : path, ':')) {
    const std::string file = directory + "/" + name;
    if (directory.starts_with("/") && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace gp
