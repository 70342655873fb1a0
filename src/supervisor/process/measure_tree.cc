#include "supervisor/process/measure_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "files/descriptor.h"

namespace gp {
namespace {

constexpr int kDepthMax = 32;
constexpr int64_t kEntriesMax = 1'000'000;

struct Walk {
  int64_t bytes = 0;
  int64_t entries = 0;
  std::string fault;
};

void Measure(int directory, const char* name, int depth, Walk& walk) {
  struct stat facts = {};
  if (fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    walk.fault = std::string(name) + ": " + std::strerror(errno);
    return;
  }
  if (++walk.entries > kEntriesMax || depth > kDepthMax) {
    walk.fault = "it has more than 1,000,000 files, or is deeper than 32 directories";
    return;
  }
  if (S_ISREG(facts.st_mode)) walk.bytes += facts.st_size;
  if (!S_ISDIR(facts.st_mode)) return;
  const int opened = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const list = opened < 0 ? nullptr : fdopendir(opened);
  if (list == nullptr) {
    walk.fault = std::string(name) + ": " + std::strerror(errno);
    return;
  }
  while (const dirent* entry = readdir(list)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    Measure(dirfd(list), entry->d_name, depth + 1, walk);
    if (!walk.fault.empty()) break;
  }
  closedir(list);
}

}  // namespace

int MeasureTree(const std::string& path, int output) {
  Walk walk;
  Measure(AT_FDCWD, path.c_str(), 0, walk);
  struct stat top = {};
  if (walk.fault.empty() && lstat(path.c_str(), &top) == 0 && S_ISLNK(top.st_mode))
    walk.fault = "it is a link: report what it points to";
  if (walk.fault.empty() && walk.bytes == 0) walk.fault = "it is empty";
  const std::string answer = walk.fault.empty() ? "= " + std::to_string(walk.bytes) : walk.fault;
  return write(output, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()) ? 0 : 1;
}

}  // namespace gp
