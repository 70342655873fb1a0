#include <fmt/format.h>
#include <pwd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "adapters/outbound/cgroup/agent_root.h"
#include "adapters/outbound/hwloc/hwloc_topology.h"
#include "adapters/outbound/nvml/nvml_driver.h"
#include "base/text.h"
#include "cmd/agent/live_sharing.h"
#include "cmd/agent/own_cgroups.h"
#include "cmd/machine/doctor_checks.h"

namespace gp {
namespace {

constexpr int64_t kSpaceFail = int64_t{100} << 20;
constexpr int64_t kSpaceWarn = int64_t{1} << 30;

constexpr const char* kSimulate =
    "without GPUs, machines can be simulated: gpu-platform serve --simulate dgx-h100:2";
constexpr const char* kCgroups = "/sys/fs/cgroup";
constexpr size_t kRootsShown = 16;
constexpr const char* kDelegate = "run the agent in a unit of its own with Delegate=yes";

}  // namespace

std::vector<DoctorCheck> CheckIsolation() {
  const auto report = ProbeIsolation();
  if (!report)
    return {
        {"isolation", Finding::kFail, report.error().message, "mount /proc and /sys/fs/cgroup"}};
  if (geteuid() != 0) {
    return {{"isolation", Finding::kWarn,
             "not root: an agent of this user cannot isolate; its jobs run as this user, may open "
             "every GPU, and "
             "have no limits of memory, processes or CPUs",
             "run gpu-platform serve or agent as root"}};
  }
  std::vector<DoctorCheck> checks;
  const auto add = [&](const char* what, bool given, const std::string& how, Finding missing) {
    checks.push_back(
        given ? DoctorCheck{"isolation", Finding::kOk, std::string(what) + ": " + how, ""}
              : DoctorCheck{"isolation", missing, std::string(what) + ": cannot be given",
                            kDelegate});
  };
  add("devices", report->devices, report->device_mechanism, Finding::kFail);
  add("memory", report->memory, "limited", Finding::kWarn);
  add("processes", report->processes, "limited", Finding::kWarn);
  add("CPUs", report->cpus, "pinned", Finding::kWarn);
  add("end of a job", report->kill_all, "everything inside is killed", Finding::kWarn);
  return checks;
}

DoctorCheck CheckCgroups() {
  const std::vector<std::string> left = AbandonedRootsBelow(kCgroups);
  if (left.empty()) return {"cgroups", Finding::kOk, "none left behind", ""};
  const std::vector<std::string> shown(
      left.begin(), left.begin() + std::min<ptrdiff_t>(std::ssize(left), kRootsShown));
  return {"cgroups", Finding::kWarn,
          fmt::format("{} left by agents that were killed{}{}", left.size(),
                      left.size() > kRootsShown ? "; the first: " : ": ", Join(shown, ", ")),
          "gpu-platform agent or serve removes those beside its own; or: find " + Join(shown, " ") +
              " -depth -type d -exec rmdir {} ;"};
}

DoctorCheck CheckDriver(const std::string& nvml) {
  const auto driver = NvmlDriver::Open(nvml.empty() ? kNvmlLibraryName : nvml);
  if (!driver) {
    const std::string what = driver.error().message.substr(0, driver.error().message.find(';'));
    return {"driver", Finding::kWarn, what, kSimulate};
  }
  const auto inventory = (*driver)->Inventory();
  if (!inventory)
    return {"driver", Finding::kFail, inventory.error().message,
            "nvidia-smi; dmesg | grep -i nvrm"};
  if (inventory->gpus.empty())
    return {"driver", Finding::kWarn, "the driver knows of no GPU", kSimulate};
  const std::string what =
      fmt::format("{} GPU(s), driver {}, CUDA up to {}", inventory->gpus.size(),
                  inventory->driver_version, inventory->cuda_version);
  if (inventory->warnings.empty()) return {"driver", Finding::kOk, what, ""};
  return {"driver", Finding::kWarn, what + "; not reported: " + Join(inventory->warnings, "; "),
          "a newer driver may report it; the rest works"};
}

DoctorCheck CheckMps() {
  const auto control = FindMpsControl({});
  const std::string path = control.value_or("");
  if (path.empty())
    return {"sharing", Finding::kOk, "time slicing; no MPS, there is no nvidia-cuda-mps-control",
            ""};
  return {"sharing", Finding::kOk, "time slicing, and MPS with " + path, ""};
}

DoctorCheck CheckHost() {
  const auto host = HwlocTopology::OpenLive()->Read();
  if (!host) return {"topology", Finding::kFail, host.error().message, "mount /sys"};
  const std::string what = fmt::format("{}, {}, {}", Count(host->cpus.Count(), "CPU"),
                                       Count(std::ssize(host->numa_nodes), "NUMA node"),
                                       BytesToText(host->memory_mib << 20));
  if (host->warnings.empty()) return {"topology", Finding::kOk, what, ""};
  return {"topology", Finding::kWarn, what + "; " + Join(host->warnings, "; "),
          "placement near these GPUs is a guess; a newer firmware may report it"};
}

DoctorCheck CheckServiceUser(const std::string& service_user) {
  if (geteuid() != 0) return {"users", Finding::kOk, "jobs run as the agent's own user", ""};
  if (getpwnam(service_user.c_str()) != nullptr) {
    return {"users", Finding::kOk, "root's jobs run as " + service_user + ", others' as themselves",
            ""};
  }
  return {"users", Finding::kWarn, "no user " + service_user + ": root's jobs run as nobody",
          "useradd --system --create-home " + service_user};
}

DoctorCheck CheckState(const std::string& directory) {
  std::filesystem::path there = directory;
  std::error_code error;
  while (!std::filesystem::exists(there, error) && there.has_relative_path())
    there = there.parent_path();
  const bool made = there == directory;
  if (access(there.c_str(), W_OK) != 0) {
    return {"state", Finding::kWarn, there.string() + ": " + std::strerror(errno),
            "run the controller as its owner, or with --state DIRECTORY"};
  }
  struct statvfs info{};
  if (statvfs(there.c_str(), &info) != 0)
    return {"state", Finding::kFail, there.string() + ": " + std::strerror(errno),
            "check the disk"};
  const int64_t free = static_cast<int64_t>(info.f_bavail) * static_cast<int64_t>(info.f_frsize);
  const std::string what =
      fmt::format("{}{}, {} free", directory, made ? "" : " (not made yet)", BytesToText(free));
  if (free < kSpaceFail)
    return {"state", Finding::kFail, what, "free some space: the journal must be written"};
  if (free < kSpaceWarn)
    return {"state", Finding::kWarn, what, "free some space: journal and logs grow"};
  return {"state", Finding::kOk, what, ""};
}

}  // namespace gp
