// The daemons of SharingRunner: how they start, are found again and are checked, and what happens
// to clients whose daemon ends or that use too much memory.

#include <algorithm>
#include <charconv>

#include "application/agent/launch/launch.h"
#include "application/agent/sharing_runner.h"
#include "base/ignore_result.h"
#include "base/paths.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr char kDaemonPrefix[] = "mps-";
constexpr int64_t kDaemonLogMax = 1 << 20;
constexpr int64_t kDaemonProcessesMax = 256;
constexpr int64_t kSameReadingNs = 100'000'000;

struct DaemonName {
  int minor = 0;
  uint32_t uid = 0;
};

template <typename T>
bool ReadNumber(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "mps-<minor>-<uid>-<agent's incarnation>-<number>"
std::optional<DaemonName> ParseDaemonKey(const std::string& key) {
  const std::vector<std::string> parts = Split(key, '-');
  DaemonName name;
  if (parts.size() != 5 || !ReadNumber(parts[1], name.minor) || !ReadNumber(parts[2], name.uid))
    return std::nullopt;
  return name;
}

bool IsClientOn(const std::vector<GpuPart>& parts, int minor) {
  return !parts.empty() && parts.front().mps && parts.front().minor == minor;
}

}  // namespace

const std::vector<GpuPart>& PartsOf(const AttemptStatus& status) {
  static const std::vector<GpuPart> kNone;
  return status.launch == nullptr ? kNone : status.launch->parts;
}

bool IsMpsDaemon(const std::string& key) { return key.starts_with(kDaemonPrefix); }

std::string MpsBase(const std::string& state_directory) { return state_directory + "/mps"; }

std::string MpsDirectory(const std::string& state_directory, int minor, uint32_t uid) {
  return MpsBase(state_directory) + "/" + std::to_string(minor) + "-" + std::to_string(uid);
}

// Takes over daemons that an earlier agent started, or that ended while no agent ran.
void SharingRunner::Adopt(const Statuses& statuses) {
  for (const auto& [key, status] : statuses) {
    const auto name = IsMpsDaemon(key) ? ParseDaemonKey(key) : std::nullopt;
    if (!name) continue;
    const auto known = daemons_.find(name->minor);
    if (known == daemons_.end()) {
      daemons_[name->minor] = std::make_unique<MpsDaemon>(runner_, key, name->uid,
                                                          options_.mps_control, clock_.BootNs());
    } else if (known->second->key() != key && status.phase == AttemptPhase::kExited) {
      IgnoreResult(runner_.Forget(key), "an attempt that is unknown is forgotten");
    } else if (known->second->key() != key) {
      runner_.Stop(key, Duration{});  // two on one GPU: the later one never had clients
    }
  }
}

Status SharingRunner::StartDaemon(const LaunchSpec& client) {
  const GpuPart& part = client.parts.front();
  const std::string directory = GP_TRY(options_.make_directory(part.minor, client.uid, client.gid));
  LaunchSpec daemon;
  daemon.key = kDaemonPrefix + std::to_string(part.minor) + "-" + std::to_string(client.uid) + "-" +
               std::to_string(options_.incarnation) + "-" + std::to_string(++daemons_started_);
  daemon.argv = {options_.mps_control, "-f"};
  daemon.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "CUDA_MPS_PIPE_DIRECTORY=" + directory,
                        "CUDA_MPS_LOG_DIRECTORY=" + directory, "CUDA_VISIBLE_DEVICES=" + part.uuid,
                        "CUDA_DEVICE_ORDER=PCI_BUS_ID"};
  daemon.working_directory = "/";
  daemon.uid = client.uid;
  daemon.gid = client.gid;
  daemon.groups = client.groups;
  daemon.devices = client.devices;
  daemon.processes_max = kDaemonProcessesMax;
  daemon.private_tmp = !IsInTmp(directory) && !IsInTmp(options_.mps_control);
  daemon.private_processes = false;
  daemon.log_directory = options_.log_directory;
  daemon.log_name = daemon.key;
  daemon.log_bytes_max = kDaemonLogMax;
  daemon.grace = Duration::Seconds(2);
  GP_CHECK_OK(runner_.Start(daemon));
  daemons_[part.minor] = std::make_unique<MpsDaemon>(runner_, daemon.key, client.uid,
                                                     options_.mps_control, clock_.BootNs());
  return Ok();
}

// Counts a failed attempt whose end is not reported yet, because the daemon may be the cause.
bool SharingRunner::IsClient(const AttemptStatus& status, int minor) const {
  if (!IsClientOn(PartsOf(status), minor)) return false;
  return status.phase != AttemptPhase::kExited || held_.contains(status.key) ||
         (status.cause == EndCause::kExit && !failures_.contains(status.key) &&
          (status.exit_code != 0 || status.signal != 0));
}

std::optional<MpsLimits> SharingRunner::WantedOn(int minor, uint32_t uid,
                                                 const Statuses& statuses) const {
  std::optional<MpsLimits> wanted;
  const auto add = [&wanted](const GpuPart& part) {
    wanted = MpsLimits::Larger(wanted.value_or(MpsLimits{}), {part.percent, part.memory_mib});
  };
  for (const auto& [key, status] : statuses) {
    if (IsClient(status, minor)) add(PartsOf(status).front());
  }
  for (const auto& [key, spec] : pending_.waiting()) {
    if (IsClientOn(spec.parts, minor) && spec.uid == uid) add(spec.parts.front());
  }
  return wanted;
}

void SharingRunner::StepDaemons(const Statuses& statuses) {
  for (auto at = daemons_.begin(); at != daemons_.end();) {
    MpsDaemon& daemon = *at->second;
    const bool had_failed = !daemon.failure().empty();
    const auto status = statuses.find(daemon.key());
    daemon.Want(WantedOn(at->first, daemon.uid(), statuses));
    daemon.Step(status == statuses.end() ? nullptr : &status->second, clock_.BootNs());
    if (!had_failed && !daemon.failure().empty())
      LoseClients(at->first, daemon.failure(), statuses);
    if (daemon.EventDescriptor() >= 0) WakeAlsoBy(daemon.EventDescriptor());
    const bool is_over = daemon.phase() == MpsDaemon::Phase::kGone && runner_.Forget(daemon.key());
    if (is_over) options_.remove_directory(at->first, daemon.uid());
    at = is_over ? daemons_.erase(at) : std::next(at);
  }
}

void SharingRunner::LoseClients(int minor, const std::string& failure, const Statuses& statuses) {
  for (const auto& [key, status] : statuses) {
    if (IsClient(status, minor))
      DoomAttempt(key, {EndCause::kPlatformFault, "its MPS daemon failed: " + failure});
  }
  for (const LaunchSpec& spec : pending_.Waiting()) {
    if (IsClientOn(spec.parts, minor))
      pending_.GiveUp(spec, EndCause::kPlatformFault, "its MPS daemon failed: " + failure);
  }
}

void SharingRunner::DoomAttempt(const std::string& key, Doom doom) {
  if (doomed_.try_emplace(key, std::move(doom)).second) runner_.Stop(key, Duration{});
}

void SharingRunner::WatchMemory(const Statuses& statuses) {
  const bool any_shares = std::ranges::any_of(statuses, [](const auto& entry) {
    return !PartsOf(entry.second).empty() && entry.second.phase == AttemptPhase::kRunning;
  });
  if (!options_.readings || !any_shares) return;
  const std::vector<GpuReading> readings = options_.readings();
  const int64_t now = clock_.BootNs();
  for (size_t i = 0; i < readings.size(); ++i) {
    const int gpu = static_cast<int>(i);
    const int64_t read_at = now - readings[i].age_ns;
    if (!readings[i].health || read_at - read_at_ns_[gpu] < kSameReadingNs) continue;
    read_at_ns_[gpu] = read_at;
    ReadMemory(gpu, *readings[i].health, statuses);
  }
}

void SharingRunner::ReadMemory(int gpu, const GpuHealth& health, const Statuses& statuses) {
  std::map<std::string, GpuPart> granted;
  for (const auto& [key, status] : statuses) {
    if (status.phase != AttemptPhase::kRunning) continue;
    for (const GpuPart& part : PartsOf(status)) {
      if (part.gpu == gpu) granted[key] = part;
    }
  }
  std::map<std::string, int64_t> used;
  for (const GpuProcess& process : health.processes) {
    if (!granted.empty() && process.memory_mib)
      used[options_.attempt_of(process.pid)] += *process.memory_mib;
  }
  for (const MemoryOveruse& overuse : guard_.Read(gpu, used, granted))
    DoomAttempt(overuse.key, {EndCause::kExit, ToText(overuse)});
}

}  // namespace gp
