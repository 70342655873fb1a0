#include <sched.h>
#include <sys/wait.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/security/escape/escape.h"

namespace gp::escape {

std::string ErrnoText(int error) {
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : std::to_string(error);
}

Outcome Refused(long result) {
  if (result >= 0) return Escaped("returned " + std::to_string(result));
  return Held(ErrnoText(errno));
}

Outcome NotOpened(int fd) {
  if (fd >= 0) return Escaped("opened");
  const bool reached_driver = errno == ENXIO || errno == ENODEV;
  return {.escaped = reached_driver, .detail = ErrnoText(errno)};
}

Outcome WriteFile(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return Held("open: " + ErrnoText(errno));
  return Refused(write(fd, text.data(), text.size()));
}

bool EnterUserNamespace(int other_namespaces) {
  const std::string uid = std::to_string(getuid());
  const std::string gid = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | other_namespaces) != 0) return false;
  WriteFile("/proc/self/setgroups", "deny");
  WriteFile("/proc/self/uid_map", "0 " + uid + " 1");
  WriteFile("/proc/self/gid_map", "0 " + gid + " 1");
  return true;
}

Outcome InChild(const std::function<Outcome()>& attempt) {
  int ends[2];
  if (pipe(ends) != 0) return Held("no pipe");
  const pid_t child = fork();
  if (child < 0) return Held("fork: " + ErrnoText(errno));
  if (child == 0) {
    alarm(10);
    const Outcome outcome = attempt();
    const std::string text = (outcome.escaped ? "!" : ".") + outcome.detail;
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[512];
  ssize_t count = 0;
  while ((count = read(ends[0], buffer, sizeof buffer)) > 0) text.append(buffer, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (text.empty()) return Held("ended by signal " + std::to_string(WTERMSIG(status)));
  return {.escaped = text[0] == '!', .detail = text.substr(1)};
}

std::string CgroupMount(const std::string& controller) {
  std::ifstream mounts("/proc/self/mounts");
  std::string device;
  std::string point;
  std::string type;
  std::string options;
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream(line) >> device >> point >> type >> options;
    if (controller.empty() && type == "cgroup2") return point;
    const bool has = ("," + options + ",").find("," + controller + ",") != std::string::npos;
    if (!controller.empty() && type == "cgroup" && has) return point;
  }
  return {};
}

std::string OwnCgroup(const std::string& controller) {
  const std::string mount = CgroupMount(controller);
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (!mount.empty() && std::getline(file, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names == ",," ? controller.empty() : names.find("," + controller + ",") != names.npos) {
      return mount + line.substr(second + 1);
    }
  }
  return {};
}

}  // namespace gp::escape
