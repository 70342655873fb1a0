#include "supervisor/process/host.h"

#include <fcntl.h>

namespace gp {
namespace {

Host OpenHost() {
  Host host;
  host.proc.Reset(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  host.root.Reset(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto open_namespace = [&](const char* path) {
    return Descriptor(openat(host.proc.get(), path, O_RDONLY | O_CLOEXEC));
  };
  host.mounts = open_namespace("self/ns/mnt");
  host.pids = open_namespace("self/ns/pid");
  host.ipc = open_namespace("self/ns/ipc");
  host.network = open_namespace("self/ns/net");
  return host;
}

}  // namespace

const Host& TheHost() {
  static const Host host = OpenHost();
  return host;
}

}  // namespace gp
