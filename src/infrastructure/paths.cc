#include "infrastructure/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/text.h"
#include "files/replace_file.h"

namespace gp {
namespace {

constexpr char kMachines[] = "share/gpu-platform/machines";
constexpr char kSystemRunDirectory[] = "/run/gpu-platform";

std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string Beside(const char* relative) {
  return std::filesystem::path(ExecutablePath()).parent_path().parent_path() / relative;
}

Error SystemError(const std::string& what) { return Internal(what + ": " + std::strerror(errno)); }

}  // namespace

std::string ExecutablePath() {
  // After an upgrade the kernel shows the path of the file that was replaced with this mark.
  constexpr std::string_view kReplaced = " (deleted)";
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (path.ends_with(kReplaced)) path.erase(path.size() - kReplaced.size());
  return path;
}

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string DefaultStateDirectory() {
  if (geteuid() == 0) return "/var/lib/gpu-platform";
  return Variable("XDG_STATE_HOME", Variable("HOME", "/tmp") + "/.local/state") + "/gpu-platform";
}

std::string DefaultConfigDirectory() {
  if (geteuid() == 0) return "/etc/gpu-platform";
  return Variable("XDG_CONFIG_HOME", Variable("HOME", "/tmp") + "/.config") + "/gpu-platform";
}

std::string DefaultRunDirectory() {
  if (geteuid() == 0) return kSystemRunDirectory;
  return Variable("XDG_RUNTIME_DIR", DefaultStateDirectory() + "/run") + "/gpu-platform";
}

std::string ControllerRunDirectory(const std::string& own, const std::string& machines) {
  const auto was_served = [](const std::string& directory) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(directory) / "http.sock", error);
  };
  return was_served(own) || !was_served(machines) ? own : machines;
}

std::string ControllerRunDirectory() {
  return ControllerRunDirectory(DefaultRunDirectory(), kSystemRunDirectory);
}

std::vector<std::string> MachineNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(Beside(kMachines), error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> MachineFilePath(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".yaml")) return name;
  const std::filesystem::path path = std::filesystem::path(Beside(kMachines)) / (name + ".yaml");
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path.string();
  const std::vector<std::string> known = MachineNames();
  return Fail(
      NotFound("no machine \"" + Printable(name, 60) + "\"" +
               (known.empty() ? ": none is installed" : ": known are " + Join(known, ", ")) +
               "; or give the path of a machine file"));
}

Result<std::string> FakeDriverPath() {
  const std::string path = Beside("lib/gpu-platform/libnvidia-ml.so.1");
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  return Fail(NotFound("the simulated driver is not installed: " + path + " is missing"));
}

std::string FakeMpsControlPath() { return Beside("lib/gpu-platform/nvidia-cuda-mps-control"); }

Status MakeDirectories(const std::string& path, unsigned mode) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Fail(Internal(path + ": " + error.message()));
  if (chmod(path.c_str(), mode) != 0 && errno != EPERM) return Fail(SystemError(path));
  return Ok();
}

Result<std::string> ReadTextFile(const std::string& path, size_t bytes_max) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const std::string why = path + ": " + std::strerror(errno);
    return Fail(errno == ENOENT ? NotFound(why) : Internal(why));
  }
  std::string text;
  char buffer[16 << 10];
  ssize_t n = 0;
  while ((n = read(fd, buffer, sizeof buffer)) > 0 && text.size() <= bytes_max)
    text.append(buffer, static_cast<size_t>(n));
  close(fd);
  if (n < 0) return Fail(SystemError(path));
  if (text.size() > bytes_max)
    return Fail(
        InvalidArgument(path + ": larger than " + BytesToText(static_cast<int64_t>(bytes_max))));
  return text;
}

Status WriteTextFile(const std::string& path, const std::string& text, unsigned mode) {
  return ReplaceFile(path, text, mode, Survives::kPowerCut);
}

Status WriteFileForAll(const std::string& path, const std::string& text) {
  constexpr mode_t kForAll = 0644;
  GP_CHECK_OK(WriteTextFile(path, text, kForAll));
  return chmod(path.c_str(), kForAll) == 0 ? Ok() : Fail(SystemError(path));
}

}  // namespace gp
