#pragma once

// Ways out of an attempt, each a named case.  A case tries one thing and tells whether it worked;
// every case runs in a process of its own.  The program knows nothing of how it is confined.

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <span>
#include <string>

namespace gp::escape {

struct Outcome {
  bool escaped = false;
  std::string detail;
};

// What the cases aim at.
struct Target {
  std::string nodes;     // directory with the device nodes below, open to everybody by mode
  std::string node;      // a GPU that is not ours
  std::string state;     // the agent's state directory
  std::string key;       // our attempt
  pid_t supervisor = 0;  // our parent
  pid_t victim = 0;      // a process of another user's job
};

struct Case {
  const char* name;
  std::function<Outcome(const Target&)> attempt;
};

std::span<const Case> DeviceCases();
std::span<const Case> NamespaceCases();
std::span<const Case> ProcessCases();
std::span<const Case> CgroupCases();
std::span<const Case> KernelCases();

std::string ErrnoText(int error);
// The system call worked: escaped.
Outcome Refused(long result);
// Anything but a refusal is an escape: a node without a driver answers ENXIO *after* the check.
Outcome NotOpened(int fd);
inline Outcome OpenNode(const std::string& path, int flags = O_RDWR) {
  return NotOpened(open(path.c_str(), flags | O_CLOEXEC));
}
inline Outcome Held(std::string why) { return {.escaped = false, .detail = std::move(why)}; }
inline Outcome Escaped(std::string how) { return {.escaped = true, .detail = std::move(how)}; }

// Become root of a new user namespace together with others; false: refused.
bool EnterUserNamespace(int other_namespaces);
// Runs `attempt` in a child and takes its outcome.
Outcome InChild(const std::function<Outcome()>& attempt);
// The directory of our cgroup in the version 2 tree or in that of a controller; empty: none.
std::string OwnCgroup(const std::string& controller);
std::string CgroupMount(const std::string& controller);
Outcome WriteFile(const std::string& path, const std::string& text);

}  // namespace gp::escape
