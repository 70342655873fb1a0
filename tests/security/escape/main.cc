// escape: tries every case and prints "held|ESCAPED  name: detail" for each.
// escape --open PATH: exits with the errno of opening PATH (for set-user-id copies of itself).
// escape --try PATH...: prints "errno path" for each.

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/security/escape/escape.h"

namespace gp::escape {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int TryAll() {
  const Target target = {.nodes = Variable("ESCAPE_NODES"),
                         .node = Variable("ESCAPE_NODES") + "/gpu1",
                         .state = Variable("ESCAPE_STATE"),
                         .key = Variable("ESCAPE_KEY"),
                         // Not seen from in here: the first process, then
                         .supervisor = std::max(getppid(), 1),
                         .victim = std::atoi(Variable("ESCAPE_VICTIM").c_str())};
  for (const auto cases :
       {DeviceCases(), NamespaceCases(), ProcessCases(), CgroupCases(), KernelCases()}) {
    for (const Case& one : cases) {
      const Outcome outcome = InChild([&] { return one.attempt(target); });
      std::printf("%s %s: %s\n", outcome.escaped ? "ESCAPED" : "held", one.name,
                  outcome.detail.c_str());
      std::fflush(stdout);
    }
  }
  while (wait(nullptr) > 0) {  // one case leaves us a child
  }
  return 0;
}

int TryOpen(const char* path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  return fd >= 0 ? 0 : errno;
}

}  // namespace
}  // namespace gp::escape

int main(int argument_count, char** arguments) {
  using namespace gp::escape;
  if (argument_count == 3 && std::strcmp(arguments[1], "--open") == 0) return TryOpen(arguments[2]);
  if (argument_count > 1 && std::strcmp(arguments[1], "--try") == 0) {
    for (int i = 2; i < argument_count; ++i) {
      const int error = TryOpen(arguments[i]);
      std::printf("%s %s\n", error == 0 ? "ok" : ErrnoText(error).c_str(), arguments[i]);
    }
    return 0;
  }
  return TryAll();
}
