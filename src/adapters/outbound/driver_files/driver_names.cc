#include "adapters/outbound/driver_files/driver_names.h"

#include <algorithm>
#include <filesystem>

#include "files/beneath.h"

namespace gp {
namespace {

constexpr std::string_view kForGraphics[] = {
    "libEGL_nvidia",     "libGLESv1_CM_nvidia", "libGLESv2_nvidia",
    "libGLX_nvidia",     "libglxserver",        "libnvidia-api",
    "libnvidia-cbl",     "libnvidia-egl",       "libnvidia-fbc",
    "libnvidia-glcore",  "libnvidia-glsi",      "libnvidia-glvkspirv",
    "libnvidia-gtk",     "libnvidia-ngx",       "libnvidia-present",
    "libnvidia-rtcore",  "libnvidia-tls",       "libnvidia-vksc",
    "libnvidia-wayland", "libnvoptix",          "libvdpau_nvidia",
    "nvidia-drm_gbm",    "nvidia_drv",          "nvoptix",
    "10_nvidia",         "15_nvidia",           "20_nvidia",
    "nvidia_icd",        "nvidia_layers",       "nvidia-drm-outputclass"};

constexpr std::string_view kDigits = "0123456789";

}  // namespace

std::string_view DriverVersionOf(std::string_view library) {
  const size_t mark = library.rfind(".so.");
  if (mark == std::string_view::npos || !library.starts_with("lib")) return "";
  const std::string_view version = library.substr(mark + 4);
  // Three digits and more numbers: "libnvidia-ml.so.1" is no version of a driver.
  const bool is_version = version.find_first_not_of(".0123456789") == std::string_view::npos &&
                          version.find_first_not_of(kDigits) == 3 && version.size() > 4 &&
                          !version.ends_with('.');
  return is_version ? version : "";
}

bool IsForGraphics(std::string_view name) {
  return std::ranges::any_of(kForGraphics,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

DriverFile LibraryAt(const std::string& path) {
  const std::string name = LastPartOf(path);
  DriverFile file{DriverFile::Kind::kLibrary, path, {name}, "", IsForGraphics(name)};
  std::error_code failed;
  const std::string_view begin = std::string_view(name).substr(0, name.find(".so") + 3);
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), failed)) {
    const std::string other = entry.path().filename();
    const bool is_other_name = other != name && other.starts_with(begin) &&
                               entry.is_symlink(failed) &&
                               std::filesystem::equivalent(entry.path(), path, failed);
    if (is_other_name) file.names.push_back(other);
  }
  std::ranges::sort(file.names);
  return file;
}

}  // namespace gp
