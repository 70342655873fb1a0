#include "adapters/outbound/process/supervisor_binary.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "base/digest.h"
#include "files/replace_file.h"
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

}  // namespace

Result<std::string> InstallSupervisor(const std::string& directory) {
  const std::string_view image = ImageBytes();
  const std::string path = directory + "/" + FileName(image);
  struct stat facts;
  const bool is_there = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                        facts.st_size == static_cast<off_t>(image.size()) &&
                        facts.st_uid == geteuid();
  // Synced, because a later start trusts the file by its name and size.
  if (!is_there) GP_CHECK_OK(ReplaceFile(path, image, 0700, Survives::kPowerCut));
  return path;
}

}  // namespace gp
