// Asking the kernel for what only root may have.

#include <linux/perf_event.h>
#include <sys/fanotify.h>
#include <sys/io.h>
#include <sys/klog.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/time.h>

#include <array>
#include <cstring>
#include <ctime>

#include "tests/security/escape/escape.h"

namespace gp::escape {
namespace {

Outcome WatchAllProcesses() {
  perf_event_attr what = {};
  what.size = sizeof what;
  what.type = PERF_TYPE_SOFTWARE;
  what.config = PERF_COUNT_SW_CPU_CLOCK;
  what.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
  const long fd = syscall(SYS_perf_event_open, &what, -1, 0, -1, 0);
  return Refused(fd);
}

Outcome OpenByHandle(const Target& target) {
  alignas(file_handle) char bytes[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
  auto* handle = reinterpret_cast<file_handle*>(bytes);
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount_id = 0;
  const int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (name_to_handle_at(AT_FDCWD, target.nodes.c_str(), handle, &mount_id, 0) != 0) {
    return Held("name_to_handle_at: " + ErrnoText(errno));
  }
  return Refused(open_by_handle_at(directory, handle, O_RDONLY));
}

Outcome SetCoreLimit() {
  const rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  return Refused(setrlimit(RLIMIT_CORE, &limit));
}

Outcome SetClock() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return Refused(clock_settime(CLOCK_REALTIME, &now));
}

const std::array kCases = {
    Case{"kexec_load", [](const Target&) { return Refused(syscall(SYS_kexec_load, 0, 0, 0, 0)); }},
    Case{"init_module", [](const Target&) { return Refused(syscall(SYS_init_module, "", 0, "")); }},
    Case{"finit_module",
         [](const Target&) { return Refused(syscall(SYS_finit_module, 0, "", 0)); }},
    Case{"perf events of all processes", [](const Target&) { return WatchAllProcesses(); }},
    Case{"clear the kernel log", [](const Target&) { return Refused(klogctl(5, nullptr, 0)); }},
    Case{"I/O ports", [](const Target&) { return Refused(iopl(3)); }},
    Case{"reboot", [](const Target&) { return Refused(reboot(RB_DISABLE_CAD)); }},
    Case{"swap off", [](const Target&) { return Refused(swapoff("/no/such")); }},
    Case{"process accounting", [](const Target&) { return Refused(syscall(SYS_acct, nullptr)); }},
    Case{"raw packets", [](const Target&) { return Refused(socket(AF_PACKET, SOCK_RAW, 0)); }},
    Case{"raw sockets", [](const Target&) { return Refused(socket(AF_INET, SOCK_RAW, 1)); }},
    Case{"watch the whole file system",
         [](const Target&) { return Refused(fanotify_init(FAN_CLASS_CONTENT, O_RDONLY)); }},
    Case{"open by file handle", OpenByHandle},
    Case{"set the clock", [](const Target&) { return SetClock(); }},
    Case{"set the host name", [](const Target&) { return Refused(sethostname("escaped", 7)); }},
    Case{"core dumps", [](const Target&) { return SetCoreLimit(); }},
    Case{"negative nice value",
         [](const Target&) { return Refused(setpriority(PRIO_PROCESS, 0, -10)); }},
    Case{"immunity from the memory killer",
         [](const Target&) { return WriteFile("/proc/self/oom_score_adj", "-1000"); }},
    Case{"core pattern",
         [](const Target&) { return WriteFile("/proc/sys/kernel/core_pattern", "|/tmp/x"); }},
    Case{"magic SysRq", [](const Target&) { return WriteFile("/proc/sysrq-trigger", "h"); }},
};

}  // namespace

std::span<const Case> KernelCases() { return kCases; }

}  // namespace gp::escape
