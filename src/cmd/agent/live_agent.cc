#include "cmd/agent/live_agent.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "adapters/outbound/cgroup/cgroup_isolation.h"
#include "adapters/outbound/grpc/grpc_control_link.h"
#include "adapters/outbound/hwloc/hwloc_topology.h"
#include "adapters/outbound/log_clues/log_clues.h"
#include "adapters/outbound/machine_file/machine_file_topology.h"
#include "adapters/outbound/nvml/nvml_driver.h"
#include "adapters/outbound/process/file_log_reader.h"
#include "adapters/outbound/process/supervised_attempt_runner.h"
#include "application/agent/agent_loop.h"
#include "application/agent/node_facts.h"
#include "base/digest.h"
#include "base/text.h"
#include "cmd/agent/host_users.h"
#include "cmd/agent/listening_parent.h"
#include "cmd/agent/live_gpu_keeper.h"
#include "cmd/agent/live_mig.h"
#include "cmd/agent/live_sharing.h"
#include "cmd/agent/log_keeper.h"
#include "cmd/agent/other_scheduler.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/connection/identity_file.h"
#include "infrastructure/agent_identity.h"
#include "infrastructure/paths.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr std::string_view kUnixScheme = "unix:";
constexpr int kGpuMajor = 195;  // registered to NVIDIA
constexpr int kNvidiactlMinor = 255;

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

// nvidiactl, and nvidia-uvm whose major the kernel chose at load time.
std::vector<DeviceNumber> SharedDevices() {
  std::vector<DeviceNumber> devices{{kGpuMajor, kNvidiactlMinor}};
  std::ifstream file("/proc/devices");
  int major = 0;
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (std::sscanf(line.c_str(), "%d", &major) != 1) continue;
    if (line.ends_with(" nvidia-uvm")) {
      devices.push_back({major, 0});
      devices.push_back({major, 1});
    }
  }
  return devices;
}

// Nodes that stand for the simulated GPUs: opening a granted one reaches the kernel, which has no
// driver for it (ENXIO); opening any other is refused (EPERM).
Status MakeDeviceNodes(const std::string& directory, const NodeFacts& facts,
                       std::vector<std::string>& warnings) {
  GP_CHECK_OK(MakeDirectories(directory, 0755));
  for (const GpuFacts& gpu : facts.gpus) {
    const std::string path = directory + "/nvidia" + std::to_string(gpu.minor);
    const bool made = mknod(path.c_str(), S_IFCHR | 0666,
                            makedev(kGpuMajor, static_cast<unsigned>(gpu.minor))) == 0;
    if (!made && errno != EEXIST) {
      warnings.push_back("no device nodes for the simulated GPUs: " +
                         std::string(std::strerror(errno)));
      return Ok();
    }
    chmod(path.c_str(), 0666);
  }
  return Ok();
}

CpuSet OnlineCpus() {
  CpuSet cpus;
  cpus.AddRange(0, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) - 1);
  return cpus;
}

struct Sources {
  std::unique_ptr<HostTopology> host;
  std::unique_ptr<NvmlDriver> driver;
};

Result<Sources> OpenSources(const AgentConfig& config) {
  Sources sources;
  if (config.simulate.empty()) {
    sources.host = HwlocTopology::OpenLive();
    sources.driver = GP_TRY(NvmlDriver::Open(config.nvml.empty() ? kNvmlLibraryName : config.nvml));
    return sources;
  }
  const std::string machine = GP_TRY(MachineFilePath(config.simulate));
  sources.host = GP_TRY(MachineFileTopology::Open(machine));
  // The fake driver reads its machine from the environment; one agent process simulates one node.
  setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", machine.c_str(), 1);
  setenv("GPU_PLATFORM_FAKE_NVML_NODE", std::to_string(config.node_index).c_str(), 1);
  setenv("GPU_PLATFORM_FAKE_NVML_CONTROL", (config.state_directory + "/faults").c_str(), 1);
  const std::string library = config.nvml.empty() ? GP_TRY(FakeDriverPath()) : config.nvml;
  sources.driver = GP_TRY(NvmlDriver::Open(library));
  return sources;
}

class WiredAgent : public LiveAgent {
 public:
  explicit WiredAgent(const AgentConfig& config) : config_(config) {}

  ~WiredAgent() override {
    Stop();
    if (link_ != nullptr) link_->SetChannels(nullptr);
  }

  Status Wire() {
    GP_CHECK_OK(CheckHostIsOurs());
    GP_CHECK_OK(MakeDirectories(config_.state_directory, 0711));
    GP_CHECK_OK(MakeDirectories(config_.state_directory + "/" + kReportDirectory, 0711));
    sources_ = GP_TRY(OpenSources(config_));
    AgentOptions options = GP_TRY(Discover());
    GP_CHECK_OK(OpenLink());
    CgroupIsolation::Options isolation_options;
    // Agents of several clusters may share a host: each has its own control group.
    isolation_options.name += "-" + ToBase32(Digest64(config_.state_directory), 13);
    isolation_ = GP_TRY(CgroupIsolation::Open(isolation_options));
    for (const std::string& warning : isolation_->Report().warnings) warnings_.push_back(warning);
    isolation_->RemoveAbandoned();
    // Jobs of a lost state directory may still run, but no agent holds them any more.
    if (options.fresh) GP_CHECK_OK(isolation_->EndAll());
    SupervisedAttemptRunner::Options runner_options;
    runner_options.state_directory = config_.state_directory;
    runner_ = GP_TRY(SupervisedAttemptRunner::Open(runner_options, *isolation_));
    // Called in the agent's own thread, like the runner.
    const auto lease_in = [this](int gpu, int instance) {
      return ParseLeaseKey(mig_->AttemptIn(gpu, instance)).value_or(LeaseId{});
    };
    keeper_ = MakeGpuKeeper(config_, places_, options.incarnation, lease_in, clock_);
    for (const std::string& warning : keeper_->warnings()) warnings_.push_back(warning);
    sharing_ = MakeSharingRunner(config_, mps_control_, options.incarnation, *runner_,
                                 keeper_->watch(), clock_);
    instances_ = MakeMigInstances(config_, places_);
    mig_ = std::make_unique<MigRunner>(options.facts->DividedGpus(), *instances_, *sharing_);
    loop_ = std::make_unique<AgentLoop>(std::move(options), *link_, *mig_, logs_,
                                        &keeper_->keeper(), clock_);
    link_->SetChannels(loop_.get());
    log_keeper_ =
        std::make_unique<LogKeeper>(config_.state_directory, config_.keep_logs, *loop_, clock_);
    keeper_->AwaitReadings();  // so that its first report covers the whole node
    return Ok();
  }

  void Run() override {
    loop_->Run();
    keeper_.reset();  // its processes end before this one does
    isolation_->RemoveUnused();
  }
  void Stop() override {
    if (loop_ != nullptr) loop_->Stop();
  }
  const std::string& name() const override { return name_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

 private:
  // Jobs of an agent would outlive what another scheduler has allocated to it: two schedulers would
  // use the same GPUs.
  Status CheckHostIsOurs() const {
    const auto other = FindOtherScheduler();
    if (!other || MayPlayIn(*other)) return Ok();
    const bool is_played = !config_.simulate.empty();
    return Fail(Conflict("this process runs inside " + other->place +
                         ": two schedulers would hand out the same GPUs; start the agent outside "
                         "of it, on a node that the other one does not manage" +
                         (is_played ? " (serve --simulate simulates machines inside it)" : "")));
  }

  // Machines that are simulated in a pod are demonstrations, and what runs in a container ends with
  // it. In a Slurm job a machine file may describe what Slurm has allocated, and the agent's jobs
  // leave Slurm's control group: only a controller in the job itself may have nodes there.
  bool MayPlayIn(const OtherScheduler& other) const {
    if (config_.simulate.empty()) return false;
    if (other.kind == OtherSchedulerKind::kKubernetes) return true;
    const std::string& controller = config_.controller;
    if (!controller.starts_with(kUnixScheme)) return false;
    return IsParentListening(controller.substr(kUnixScheme.size()));
  }

  Status OpenLink() {
    const std::string authority = GP_TRY(ControllerAuthority());
    const std::string path = config_.state_directory + "/identity.pem";
    const NodeCredentials::Storage storage{
        [path] { return ReadIdentity(path); },
        [path](const Identity& identity) { return KeepIdentity(path, identity); }};
    credentials_ = std::make_unique<NodeCredentials>(
        NodeCredentials::Options{config_.controller, config_.join_token, authority, name_}, storage,
        clock_);
    GP_CHECK_OK(credentials_->Open());
    link_ = std::make_unique<GrpcControlLink>(*credentials_);
    link_->SetIdentities(gpu_identities_);
    return Ok();
  }

  // The authority is fetched once: later the agent starts even if no controller answers.
  Result<std::string> ControllerAuthority() {
    const std::string path = config_.state_directory + "/authority.pem";
    const auto kept = ReadTextFile(path);
    const auto facts = kept ? ReadCertificate(*kept) : Fail(kept.error());
    if (facts && config_.authority == std::string(kFingerprintPrefix) + facts->fingerprint)
      return *kept;
    const std::string authority = GP_TRY(AuthorityFor(config_.controller, config_.authority));
    if (!authority.empty()) GP_CHECK_OK(WriteTextFile(path, authority, 0644));
    return authority;
  }

  Result<AgentOptions> Discover() {
    const HostFacts host = GP_TRY(sources_.host->Read());
    std::vector<std::string> as_they_are;
    GP_CHECK_OK(EnterMigMode(config_, *sources_.driver, as_they_are));
    const DriverInventory inventory = GP_TRY(sources_.driver->Inventory());
    gpu_identities_ = inventory.gpus;
    for (const GpuIdentity& gpu : inventory.gpus) {
      const GpuHeatLimits heat{gpu.temperature_slowdown_c, gpu.temperature_shutdown_c};
      places_.push_back({gpu.uuid, gpu.pci_bus_id, heat, gpu.minor});
    }
    name_ = !config_.name.empty()      ? config_.name
            : config_.simulate.empty() ? HostName()
                                       : host.hostname + "-" + std::to_string(config_.node_index);
    const bool simulated = !config_.simulate.empty();
    FoundNode found = MakeNodeFacts(name_, simulated, host, inventory);
    GP_CHECK_OK(ConfineMig(config_, inventory, found.facts));
    found.facts.machine =
        simulated ? "simulated-" + std::to_string(config_.node_index) : MachineId();
    warnings_ = std::move(found.warnings);
    warnings_.insert(warnings_.end(), as_they_are.begin(), as_they_are.end());
    mps_control_ = GP_TRY(FindMpsControl(config_));
    MarkMps(inventory, mps_control_, found.facts);
    AgentOptions options;
    const AgentIncarnation incarnation =
        GP_TRY(NextIncarnation(config_.state_directory, clock_.Now()));
    options.incarnation = incarnation.number;
    options.fresh = incarnation.fresh;
    options.lineage = GP_TRY(Lineage(config_.state_directory));
    options.keep_lineage = [directory = config_.state_directory](uint64_t lineage) {
      return KeepLineage(directory, lineage);
    };
    options.find_clues = [this](const LaunchSpec& launch) { return FindClues(logs_, launch); };
    LaunchOptions& launch = options.launch;
    launch.state_directory = config_.state_directory;
    launch.prolog = config_.prolog;
    launch.epilog = config_.epilog;
    launch.resolve_user = [service = config_.service_user, allow = config_.allow_root](
                              const User& user) { return ResolveUser(user, service, allow); };
    if (simulated) {
      launch.device_directory = config_.state_directory + "/dev";
      launch.host_cpus = OnlineCpus();
      GP_CHECK_OK(MakeDeviceNodes(launch.device_directory, found.facts, warnings_));
      GP_CHECK_OK(MakeSimulatedCaps(config_.state_directory, found.facts, warnings_));
    } else {
      launch.shared_devices = SharedDevices();
    }
    options.facts = std::make_shared<const NodeFacts>(std::move(found.facts));
    return options;
  }

  const AgentConfig config_;
  std::string name_;
  std::vector<std::string> warnings_;
  SystemClock clock_;
  Sources sources_;
  std::unique_ptr<CgroupIsolation> isolation_;
  std::unique_ptr<SupervisedAttemptRunner> runner_;
  std::string mps_control_;
  FileLogReader logs_;
  std::vector<GpuPlace> places_;
  std::unique_ptr<LiveGpuKeeper> keeper_;
  std::unique_ptr<SharingRunner> sharing_;
  std::unique_ptr<MigInstances> instances_;
  std::unique_ptr<MigRunner> mig_;
  std::vector<GpuIdentity> gpu_identities_;
  std::unique_ptr<NodeCredentials> credentials_;
  std::unique_ptr<GrpcControlLink> link_;
  std::unique_ptr<AgentLoop> loop_;
  std::unique_ptr<LogKeeper> log_keeper_;
};

}  // namespace

bool IsBelowTmp(const std::string& directory) {
  return directory == "/tmp" || directory.starts_with("/tmp/");
}

std::string TmpWarning(const std::string& directory) {
  return "--state " + directory +
         ": systems remove old files in /tmp, and jobs see all of it instead of a private /tmp; "
         "/var/lib/gpu-platform or /var/tmp is better";
}

Result<std::unique_ptr<LiveAgent>> LiveAgent::Open(const AgentConfig& config) {
  auto agent = std::make_unique<WiredAgent>(config);
  GP_CHECK_OK(agent->Wire());
  return agent;
}

}  // namespace gp
