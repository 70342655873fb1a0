#include "supervisor/image/driver_view.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/descriptor.h"

namespace gp {
namespace {

#if defined(__aarch64__)
constexpr const char* kLibraryDirectories[] = {"/usr/lib/aarch64-linux-gnu", "/usr/lib64"};
#else
constexpr const char* kLibraryDirectories[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64"};
#endif

std::string_view TakeUpTo(char end, std::string_view& text) {
  const size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? "" : text.substr(at + 1);
  return taken;
}

// Empty: a later agent's kind of file.
std::string PlaceOf(std::string_view kind, std::string_view name, const std::string& libraries) {
  if (kind == "lib") return libraries + "/" + std::string(name);
  if (kind == "bin") return "/usr/bin/" + std::string(name);
  return kind == "file" ? std::string(name) : "";
}

}  // namespace

std::string LibraryDirectoryOf(int image) {
  for (const char* path : kLibraryDirectories) {
    open_how how = {};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    const Descriptor found(static_cast<int>(syscall(SYS_openat2, image, path, &how, sizeof how)));
    if (found.valid()) return path;
  }
  return "/usr/lib";
}

std::vector<DriverShown> ReadDriverList(std::string_view list, const std::string& libraries) {
  std::vector<DriverShown> shown;
  while (!list.empty()) {
    std::string_view line = TakeUpTo('\n', list);
    const std::string_view kind = TakeUpTo('\t', line);
    const std::string_view name = TakeUpTo('\t', line);
    std::string at = name.empty() ? "" : PlaceOf(kind, name, libraries);
    if (at.starts_with('/') && line.starts_with('/'))
      shown.push_back({std::string(line), std::move(at)});
  }
  return shown;
}

}  // namespace gp
