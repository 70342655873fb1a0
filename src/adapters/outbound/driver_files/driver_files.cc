#include "adapters/outbound/driver_files/driver_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "adapters/outbound/driver_files/cdi_file.h"
#include "adapters/outbound/driver_files/driver_names.h"
#include "base/paths.h"
#include "base/text.h"
#include "files/beneath.h"
#include "lib/yaml/check_text.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

// That is in the directory of libraries of every driver, and whose version is the driver's.
constexpr std::string_view kManagement = "libnvidia-ml.so.";
constexpr std::string_view kOfAlternatives = "/nvidia/current";
constexpr const char* kNotOfDrivers[] = {"/dev", "/proc", "/run", "/sys", "/tmp"};
constexpr const char* kPrograms[] = {"nvidia-smi", "nvidia-debugdump"};
constexpr const char* kOthers[] = {"/usr/share/egl/egl_external_platform.d/10_nvidia_wayland.json",
                                   "/usr/share/egl/egl_external_platform.d/15_nvidia_gbm.json",
                                   "/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
                                   "/usr/share/nvidia/nvoptix.bin",
                                   "/usr/share/vulkan/icd.d/nvidia_icd.json",
                                   "/etc/vulkan/icd.d/nvidia_icd.json",
                                   "/usr/share/vulkan/implicit_layer.d/nvidia_layers.json",
                                   "/etc/vulkan/implicit_layer.d/nvidia_layers.json"};

bool IsFile(const std::string& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

DriverFile Program(const std::string& path) {
  return {DriverFile::Kind::kProgram, path, {LastPartOf(path)}, "", false};
}

DriverFile Other(const std::string& path, const std::string& at) {
  return {DriverFile::Kind::kOther, path, {}, at, IsForGraphics(LastPartOf(path))};
}

void Sort(DriverFiles& found) {
  std::ranges::sort(found.files, {}, &DriverFile::path);
  if (found.files.size() <= kDriverFilesMax) return;
  found.files.resize(kDriverFilesMax);
  found.warnings.push_back(found.source + ": of the driver's files the first " +
                           std::to_string(kDriverFilesMax) + " are taken");
}

// What a program of a container would run or load is taken from this file only if no user can
// change it.
Status CheckOwner(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0)
    return Fail(Internal("cannot read " + path + ": " + std::strerror(errno)));
  if (facts.st_uid == 0 && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0) return Ok();
  return Fail(InvalidArgument(path + ": others than root may change this file, so it is not read"));
}

DriverFile FileOf(const CdiMount& mount) {
  const std::string name = LastPartOf(mount.to);
  if (name.starts_with("lib") && name.find(".so") != std::string::npos)
    return LibraryAt(mount.from);
  const std::string above = PathAbove(mount.to);
  if (above.ends_with("/bin") || above.ends_with("/sbin")) return Program(mount.from);
  return Other(mount.from, mount.to);
}

bool HasLibraries(const std::vector<DriverFile>& files) {
  return std::ranges::any_of(files, [](const DriverFile& file) {
    const std::string name = LastPartOf(file.path);
    return file.kind == DriverFile::Kind::kLibrary &&
           (name.starts_with("libcuda.so") || name.starts_with(kManagement));
  });
}

// Those of one file; none where it is of other devices.  Errors: kInvalidArgument.
Result<std::vector<DriverFile>> FilesOfCdi(const std::string& path) {
  GP_CHECK_OK(CheckOwner(path));
  const std::string text = GP_TRY(ReadSource(path));
  const std::vector<CdiMount> mounts = GP_TRY(ReadCdiMounts(path, text));
  std::vector<DriverFile> files;
  for (const CdiMount& mount : mounts) {
    // Not sockets and directories of services, nor what stands for devices.
    const std::string to = fs::path(mount.to).lexically_normal();
    const bool is_elsewhere = std::ranges::any_of(
        kNotOfDrivers, [&](const char* taken) { return IsAtOrBelow(taken, to); });
    if (!is_elsewhere && IsFile(mount.from)) files.push_back(FileOf({mount.from, to}));
  }
  if (mounts.empty() || HasLibraries(files)) return files;
  return Fail(InvalidArgument(path + ": the driver's libraries that it names are not there: write "
                                     "it again (nvidia-ctk cdi generate)"));
}

std::vector<std::string> CdiFilesIn(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const std::string extension = entry.path().extension();
    if (extension == ".yaml" || extension == ".json") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

DriverFiles FromCdi(const std::vector<std::string>& directories) {
  DriverFiles found;
  for (const std::string& directory : directories) {
    for (const std::string& path : CdiFilesIn(directory)) {
      const auto files = FilesOfCdi(path);
      if (!files) {
        found.warnings.push_back(files.error().message);
      } else if (!files->empty()) {
        if (found.source.empty()) found.source = path;
        found.files.insert(found.files.end(), files->begin(), files->end());
      }
    }
  }
  Sort(found);
  const auto same = std::ranges::unique(found.files, {}, &DriverFile::path);
  found.files.erase(same.begin(), same.end());
  return found;
}

std::optional<std::string> DriverVersionIn(const std::string& directory) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kManagement) && !DriverVersionOf(name).empty())
      return std::string(DriverVersionOf(name));
  }
  return std::nullopt;
}

// "/run/nvidia/driver/usr/lib64" -> "/run/nvidia/driver"; "" for "/usr/lib64".
std::string RootOf(const std::string& libraries) {
  for (const char* below : {"/usr/lib", "/lib"}) {
    const size_t at = libraries.rfind(below);
    if (at != std::string::npos) return libraries.substr(0, at);
  }
  return "";
}

// All of the driver's version: a later driver may need libraries that no list of today names.
void AddLibraries(const std::string& directory, const std::string& version, DriverFiles& found) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename();
    if (DriverVersionOf(name) == version && IsFile(entry.path()))
      found.files.push_back(LibraryAt(entry.path()));
  }
}

DriverFiles FromDirectories(const std::vector<std::string>& directories) {
  DriverFiles found;
  for (const std::string& directory : directories) {
    const auto version = DriverVersionIn(directory);
    if (!version) continue;
    found.source = directory;
    AddLibraries(directory, *version, found);
    // Debian has in this directory only what its alternatives choose, and the rest above.
    if (directory.ends_with(kOfAlternatives))
      AddLibraries(directory.substr(0, directory.size() - kOfAlternatives.size()), *version, found);
    const std::string root = RootOf(directory);
    for (const char* name : kPrograms) {
      const std::string path = root + "/usr/bin/" + name;
      if (IsFile(path)) found.files.push_back(Program(path));
    }
    for (const char* path : kOthers) {
      if (IsFile(root + path)) found.files.push_back(Other(root + path, path));
    }
    break;
  }
  Sort(found);
  return found;
}

}  // namespace

DriverPlaces UsualDriverPlaces() {
  return {
      {"/etc/cdi", "/var/run/cdi"},
      {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
       "/usr/lib/x86_64-linux-gnu/nvidia/current", "/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
       "/run/nvidia/driver/usr/lib/aarch64-linux-gnu", "/run/nvidia/driver/usr/lib64"}};
}

DriverFiles FindDriverFiles(const DriverPlaces& places) {
  const DriverFiles by_cdi = FromCdi(places.cdi_directories);
  if (!by_cdi.files.empty()) return by_cdi;
  DriverFiles found = FromDirectories(places.library_directories);
  found.warnings.insert(found.warnings.end(), by_cdi.warnings.begin(), by_cdi.warnings.end());
  return found;
}

}  // namespace gp
