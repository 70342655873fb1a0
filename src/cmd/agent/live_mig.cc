#include "cmd/agent/live_mig.h"

#include <algorithm>
#include <fstream>

#include "adapters/outbound/mig/mig_minors.h"
#include "adapters/outbound/nvml/mig_division.h"
#include "adapters/outbound/watch/process_mig_instances.h"
#include "application/agent/mig_layout.h"
#include "base/text.h"
#include "cmd/agent/device_files.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

// From the range that the kernel assigns dynamically; no driver answers there
constexpr int kSimulatedCapsMajor = 510;

std::string SimulatedMinors(const std::string& state_directory) {
  return state_directory + "/mig-minors";
}

struct MigWish {
  GpuIdentity gpu;
  std::vector<std::string> layout;  // names of profiles; empty: as its jobs request
};

// "GPU-3976491b", the UUID of one of the GPUs or a unique prefix of it.
Result<GpuIdentity> ByUuid(const std::string& text, const std::vector<GpuIdentity>& gpus) {
  const auto is_meant = [&](const GpuIdentity& gpu) { return gpu.uuid.starts_with(text); };
  const auto found = std::ranges::find_if(gpus, is_meant);
  if (found != gpus.end() && std::ranges::count_if(gpus, is_meant) == 1) return *found;
  return Fail(
      InvalidArgument("--mig: " + Printable(text, 60) +
                      (found == gpus.end() ? " is no GPU here" : " is a prefix of several UUIDs")));
}

// The indexes are the driver's current ones, as nvidia-smi shows them: after a GPU has gone, those
// after it have other indexes than the platform shows. A UUID stays.
Result<std::vector<GpuIdentity>> Named(const std::string& text,
                                       const std::vector<GpuIdentity>& gpus) {
  if (text == "all") return gpus;
  std::vector<GpuIdentity> named;
  if (text.starts_with("GPU-")) {
    for (const std::string& uuid : Split(text, ',')) named.push_back(GP_TRY(ByUuid(uuid, gpus)));
    return named;
  }
  const auto set = CpuSet::Parse(text);  // the same notation: 0,2-3
  if (!set)
    return Fail(
        InvalidArgument("--mig: give \"all\", UUIDs or nvidia-smi's indexes of GPUs, such as "
                        "0,2-3, and what each is divided into, as in 0=3g.40gb,4g.40gb"));
  for (const int index : set->Members()) {
    const auto gpu = std::ranges::find(gpus, index, &GpuIdentity::index);
    if (gpu == gpus.end()) {
      return Fail(InvalidArgument("--mig: there is no GPU " + std::to_string(index) +
                                  " here; there are " + std::to_string(gpus.size())));
    }
    named.push_back(*gpu);
  }
  return named;
}

// "0-1", "2=3g.40gb,4g.40gb"; one text may have several, as "0-1;2=3g.40gb"
Result<std::vector<MigWish>> ReadWishes(const std::vector<std::string>& texts,
                                        const std::vector<GpuIdentity>& gpus) {
  std::vector<MigWish> wishes;
  for (const std::string& one : Split(Join(texts, std::string(1, kMigSeparator)), kMigSeparator)) {
    const size_t equals = one.find('=');
    const std::vector<std::string> layout = equals == std::string::npos
                                                ? std::vector<std::string>()
                                                : Split(one.substr(equals + 1), ',');
    for (const GpuIdentity& gpu : GP_TRY(Named(one.substr(0, equals), gpus))) {
      const bool is_known = std::ranges::any_of(
          wishes, [&](const MigWish& wish) { return wish.gpu.uuid == gpu.uuid; });
      if (is_known)
        return Fail(InvalidArgument("--mig: GPU " + std::to_string(gpu.index) + " is named twice"));
      wishes.push_back({gpu, layout});
    }
  }
  return wishes;
}

std::vector<std::string> MigCommand(const AgentConfig& config, const char* verb,
                                    const std::string& uuid) {
  const std::string library = NvmlOf(config);
  std::vector<std::string> words{ExecutablePath(), "__mig"};
  if (!library.empty()) words.insert(words.end(), {"--nvml", library});
  words.insert(words.end(), {verb, uuid});
  return words;
}

void AddStand(std::vector<std::string>& words, const MigPart& part) {
  words.push_back(std::to_string(part.start));
  words.push_back(std::to_string(part.slices));
}

}  // namespace

Status EnterMigMode(const AgentConfig& config, NvmlDriver& driver,
                    std::vector<std::string>& warnings) {
  if (config.mig.empty()) return Ok();
  const DriverInventory inventory = GP_TRY(driver.Inventory());
  for (const MigWish& wish : GP_TRY(ReadWishes(config.mig, inventory.gpus))) {
    MigDivision gpu = GP_TRY(MigDivision::Open(driver.library(), wish.gpu.uuid));
    const Status entered = gpu.EnterMode();
    if (entered) continue;
    const std::string name = "--mig: GPU " + std::to_string(wish.gpu.index);
    warnings.push_back(name + " stays as it is: " + entered.error().message);
  }
  return Ok();
}

Status ConfineMig(const AgentConfig& config, const DriverInventory& inventory, NodeFacts& facts) {
  if (config.mig.empty()) return Ok();
  for (const MigWish& wish : GP_TRY(ReadWishes(config.mig, inventory.gpus))) {
    const int gpu = facts.PositionOf(wish.gpu.uuid);
    if (wish.layout.empty() || gpu < 0) continue;
    MigTable& table = facts.gpus[static_cast<size_t>(gpu)].mig;
    if (table.empty()) continue;  // it could not be put into MIG mode: already reported
    Result<MigTable> confined = ConfineTo(table, wish.layout);
    if (!confined)
      return Fail(InvalidArgument("--mig: GPU " + std::to_string(wish.gpu.index) + ": " +
                                  confined.error().message));
    table = *std::move(confined);
  }
  return Ok();
}

Status MakeSimulatedCaps(const std::string& state_directory, const NodeFacts& facts,
                         std::vector<std::string>& warnings) {
  std::ofstream minors(SimulatedMinors(state_directory), std::ios::trunc);
  const std::string directory = state_directory + "/dev/nvidia-caps";
  std::string failure;
  for (const int gpu : facts.DividedGpus()) {
    GP_CHECK_OK(MakeDirectories(directory, 0755));
    for (const MigMinor& entry : MigMinorsOf(facts.gpus[static_cast<size_t>(gpu)].minor)) {
      minors << entry.name << ' ' << entry.minor << '\n';
      const std::string path = directory + "/nvidia-cap" + std::to_string(entry.minor);
      const Status made = MakeSimulatedDevice(path, {kSimulatedCapsMajor, entry.minor}, 0444);
      if (!made) failure = made.error().message;
    }
  }
  if (!failure.empty())
    warnings.push_back("no device nodes for the MIG instances of simulated GPUs: " + failure);
  return Ok();
}

std::unique_ptr<MigInstances> MakeMigInstances(const AgentConfig& config,
                                               const std::vector<AgentGpu>& gpus) {
  ProcessMigInstances::Options options;
  const auto uuid_of = [gpus](int gpu) { return gpus[static_cast<size_t>(gpu)].uuid; };
  options.make = [config, uuid_of](const MigPart& part) {
    std::vector<std::string> words = MigCommand(config, "make", uuid_of(part.gpu));
    words.insert(words.end(), {std::to_string(part.profile), std::to_string(part.start)});
    return words;
  };
  options.remove = [config, uuid_of](const MigPart& part) {
    std::vector<std::string> words = MigCommand(config, "remove", uuid_of(part.gpu));
    AddStand(words, part);
    return words;
  };
  options.keep_only = [config, uuid_of](int gpu, const std::vector<MigPart>& parts) {
    std::vector<std::string> words = MigCommand(config, "keep", uuid_of(gpu));
    for (const MigPart& part : parts) AddStand(words, part);
    return words;
  };
  options.lock_file = [config, uuid_of](int gpu) { return GpuLockFile(config, uuid_of(gpu)); };
  options.devices = [config, gpus](int gpu, int gpu_instance,
                                   int compute_instance) -> Result<std::vector<DeviceNumber>> {
    const bool simulated = !config.simulate.empty();
    const int major = simulated ? kSimulatedCapsMajor : GP_TRY(CapsMajor());
    const std::string minors = simulated ? SimulatedMinors(config.state_directory) : kMigMinorsPath;
    return MigDevices(minors, major, gpus[static_cast<size_t>(gpu)].minor, gpu_instance,
                      compute_instance);
  };
  return std::make_unique<ProcessMigInstances>(std::move(options));
}

}  // namespace gp
