#include "application/agent/launch/launch.h"

#include <algorithm>
#include <cstdlib>

#include "application/agent/launch/launcher_command.h"
#include "application/agent/sharing_runner.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/units.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/ports.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

std::string Uuids(const DesiredLease& desired, const NodeFacts& facts) {
  std::vector<std::string> uuids;
  for (const GpuGrant& grant : desired.lease.gpus)
    uuids.push_back(facts.gpus[static_cast<size_t>(grant.gpu)].uuid);
  return Join(uuids, ",");
}

void AddPorts(const DesiredLease& desired, std::map<std::string, std::string>& env) {
  const int first = desired.first_port;
  if (first == 0) {
    const int port = UnleasedPort(desired.lease.job, desired.lease.attempt);
    env["GP_MASTER_PORT"] = std::to_string(port);
  } else {
    env["GP_MASTER_PORT"] = std::to_string(first);
    env["GP_PORTS"] = std::to_string(first) + "-" + std::to_string(first + kPortsLeased - 1);
  }
}

// Sets the address where ranks meet and torchrun's variables, so that `torchrun train.py` works on
// any number of nodes.  Values that the job sets itself stay.
void AddRendezvous(const DesiredLease& desired, std::map<std::string, std::string>& env) {
  const size_t nodes = desired.node_names.size();
  env["GP_NNODES"] = std::to_string(nodes);
  env["GP_NODE_RANK"] = std::to_string(desired.lease.rank);
  env["GP_GPUS_PER_NODE"] = std::to_string(desired.lease.gpus.size());
  env["GP_NODE_LIST"] = Join(desired.node_names, ",");
  // A single rank need not be able to resolve its node's name.
  env["GP_MASTER_ADDR"] = nodes == 1 ? "127.0.0.1" : desired.master_address;
  AddPorts(desired, env);
  env.emplace("MASTER_ADDR", env["GP_MASTER_ADDR"]);
  env.emplace("MASTER_PORT", env["GP_MASTER_PORT"]);
  env.emplace("PET_MASTER_ADDR", env["MASTER_ADDR"]);
  env.emplace("PET_MASTER_PORT", env["MASTER_PORT"]);
  env.emplace("PET_NNODES", env["GP_NNODES"]);
  env.emplace("PET_NODE_RANK", env["GP_NODE_RANK"]);
  env.emplace("PET_NPROC_PER_NODE", std::to_string(std::max<size_t>(1, desired.lease.gpus.size())));
}

// As the job sees it.
std::string RshPath(const JobSpec& spec, const std::string& directory) {
  return (spec.program.image.empty() ? directory : std::string(kRshDirectoryInImage)) + "/" +
         kRshName;
}

std::string ReportPipe(const LaunchOptions& options, LeaseId lease) {
  return options.state_directory + "/" + kReportDirectory + "/" + KeyOf(lease);
}

// The attempt's grants on shared GPUs.
std::vector<GpuPart> PartsOf(const DesiredLease& desired, const NodeFacts& facts) {
  std::vector<GpuPart> parts;
  if (desired.lease.mode != GpuMode::kTimeslice && desired.lease.mode != GpuMode::kMps)
    return parts;
  for (const GpuGrant& grant : desired.lease.gpus) {
    const GpuFacts& gpu = facts.gpus[static_cast<size_t>(grant.gpu)];
    // A grant of memory alone does not limit compute.  MPS takes whole percents, so the share is
    // rounded up.
    const int percent =
        grant.share == 0 ? 100 : (grant.share * 100 + kWholeShare - 1) / kWholeShare;
    parts.push_back({grant.gpu, gpu.minor, gpu.uuid, grant.memory_mib, percent,
                     desired.lease.mode == GpuMode::kMps});
  }
  return parts;
}

// The attempt's MIG instance, which does not exist yet.
MigPart MigOf(const DesiredLease& desired, const NodeFacts& facts) {
  if (desired.lease.mode != GpuMode::kMig || desired.lease.gpus.empty()) return {};
  const GpuGrant& grant = desired.lease.gpus.front();
  const MigProfile* profile =
      facts.gpus[static_cast<size_t>(grant.gpu)].mig.Find(grant.mig_profile);
  // If the GPU's MIG layout has changed, it lacks this profile, and the driver will report that.
  return {grant.gpu, grant.mig_profile, grant.mig_start,
          profile == nullptr ? 1 : profile->memory_slices};
}

// Sets the directory of the MPS daemon, and the client's own limits: the daemon's limits are those
// of its largest client.
void AddMps(const std::vector<GpuPart>& parts, const LaunchOptions& options, uint32_t uid,
            std::map<std::string, std::string>& env) {
  if (parts.empty() || !parts.front().mps) return;
  env["CUDA_MPS_PIPE_DIRECTORY"] = env["CUDA_MPS_LOG_DIRECTORY"] =
      MpsDirectory(options.state_directory, parts.front().minor, uid);
  env["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(parts.front().percent);
  env["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = "0=" + std::to_string(parts.front().memory_mib) + "M";
}

void AddDefaults(std::map<std::string, std::string>& env) {
  for (const std::string_view variable : kDefaultEnvironment) {
    const size_t equals = variable.find('=');
    env.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
}

std::vector<std::string> MakeEnvironment(const DesiredLease& desired, const NodeFacts& facts,
                                         const HostUser& user, const LaunchOptions& options) {
  const JobSpec& spec = *desired.spec;
  std::map<std::string, std::string> env;
  env["HOME"] = user.home.empty() ? "/" : user.home;
  env["USER"] = env["LOGNAME"] = user.name;
  env["SHELL"] = user.shell.empty() ? "/bin/sh" : user.shell;
  for (const auto& [name, value] : spec.program.environment) {
    if (!IsReservedVariable(name)) env[name] = value;
  }
  env["GP_JOB_ID"] = ElementName(desired.array, desired.lease.job);
  if (desired.array.value != 0) {
    env["GP_ARRAY_ID"] = ToText(desired.array);
    env["GP_ARRAY_INDEX"] = std::to_string(IndexIn(desired.array, desired.lease.job));
    env["GP_ARRAY_COUNT"] = std::to_string(spec.policy.array.count);
  }
  env["GP_ATTEMPT"] = std::to_string(desired.lease.attempt);
  AddRendezvous(desired, env);
  if (!spec.recovery.checkpoint.directory.empty()) {
    env["GP_CHECKPOINT_DIR"] = spec.recovery.checkpoint.directory;
    if (desired.lease.attempt > 1) env["GP_RESUME_FROM"] = spec.recovery.checkpoint.directory;
  }
  if (!desired.resume_from.empty()) {
    env["GP_RESUME_FROM"] = desired.resume_from;
    env["GP_RESUME_STEP"] = std::to_string(desired.resume_step);
  }
  if (NeedsRsh(desired)) AddRshVariables(RshPath(spec, options.rsh_directory), env);
  env["GP_REPORT"] = ReportPipe(options, desired.lease.id);
  // "-1" hides all GPUs from a job without GPUs; some programs take an empty list for all GPUs.
  env["CUDA_VISIBLE_DEVICES"] = desired.lease.gpus.empty() ? "-1" : Uuids(desired, facts);
  env["NVIDIA_VISIBLE_DEVICES"] = desired.lease.gpus.empty() ? "void" : Uuids(desired, facts);
  env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  env["GP_DEVICE_DIRECTORY"] = options.device_directory;
  AddMps(PartsOf(desired, facts), options, user.uid, env);
  // Layers bring values of their own, which are known once they are unpacked.
  if (!HasLayers(spec.program.image)) AddDefaults(env);
  std::vector<std::string> flat;
  for (const auto& [name, value] : env) flat.push_back(name + "=" + value);
  return flat;
}

// The granted cores, or all cores of the NUMA nodes if no cores were granted.
CpuSet CpusOf(const DesiredLease& desired, const NodeFacts& facts, const CpuSet& host_cpus) {
  CpuSet cpus;
  for (const NumaGrant& grant : desired.lease.numa) cpus = cpus.Union(grant.cpus);
  if (cpus.Empty()) {
    for (const NumaGrant& grant : desired.lease.numa) {
      cpus = cpus.Union(facts.numa[static_cast<size_t>(grant.numa)].cpus);
    }
  }
  if (host_cpus.Empty()) return cpus;
  const std::vector<int> real = host_cpus.Members();
  CpuSet mapped;
  for (const int cpu : cpus.Members()) mapped.Add(real[static_cast<size_t>(cpu) % real.size()]);
  return mapped;
}

// Whether the path is of data that is shown in the private /tmp.
bool IsStaged(const std::string& path, const JobSpec& spec) {
  return std::ranges::any_of(spec.program.stage, [&](const StagedData& data) {
    return IsAtOrBelow(PlainPath(data.to), PlainPath(path));
  });
}

// A private /tmp would hide paths below /tmp that the job is to use.
bool NeedsHostTmp(const DesiredLease& desired, const LaunchOptions& options) {
  const JobSpec& spec = *desired.spec;
  const auto names_own = [&](const std::string& path) {
    return IsInTmp(path) && !IsStaged(path, spec);
  };
  return (NeedsRsh(desired) && IsInTmp(options.rsh_directory)) ||
         IsInTmp(options.device_directory) || names_own(spec.program.working_directory) ||
         IsInTmp(spec.recovery.checkpoint.directory) ||
         std::ranges::any_of(spec.program.command, names_own);
}

void AddProgram(const DesiredLease& desired, const HostUser& user, const LaunchOptions& options,
                LaunchSpec& launch) {
  const JobSpec& spec = *desired.spec;
  // An interactive job gets its program by Exec, with its user's terminal.
  if (!spec.program.interactive)
    launch.argv = LauncherCommand(desired, RshPath(spec, options.rsh_directory));
  launch.interactive = spec.program.interactive;
  for (const std::string& name : spec.program.secrets) {
    const auto secret = desired.secrets.find(name);
    if (secret != desired.secrets.end() && !IsReservedVariable(name))
      launch.secrets.push_back(name + "=" + secret->second);
  }
  if (!desired.job_token.empty()) launch.secrets.push_back("GP_JOB_TOKEN=" + desired.job_token);
  const std::string home = user.home.empty() ? "/" : user.home;
  launch.has_own_working_directory = !spec.program.working_directory.empty();
  launch.working_directory =
      launch.has_own_working_directory ? spec.program.working_directory : home;
  launch.uid = user.uid;
  launch.gid = user.gid;
  launch.groups = user.groups;
}

// Those by which a job draws on the GPUs of its lease.
void AddRenderNodes(const DesiredLease& desired, const NodeFacts& facts,
                    const LaunchOptions& options, LaunchSpec& launch) {
  launch.devices.insert(launch.devices.end(), options.graphics_devices.begin(),
                        options.graphics_devices.end());
  launch.groups.insert(launch.groups.end(), options.graphics_groups.begin(),
                       options.graphics_groups.end());
  if (!options.render_node) return;
  for (const GpuGrant& grant : desired.lease.gpus) {
    const auto node = options.render_node(facts.gpus[static_cast<size_t>(grant.gpu)]);
    if (node) launch.devices.push_back(*node);
  }
}

void AddGrants(const DesiredLease& desired, const NodeFacts& facts, const LaunchOptions& options,
               LaunchSpec& launch) {
  for (const GpuGrant& grant : desired.lease.gpus) {
    launch.devices.push_back({options.gpu_major, facts.gpus[static_cast<size_t>(grant.gpu)].minor});
  }
  if (!desired.lease.gpus.empty()) {
    launch.devices.insert(launch.devices.end(), options.shared_devices.begin(),
                          options.shared_devices.end());
    if (desired.spec->program.graphics) AddRenderNodes(desired, facts, options, launch);
  }
  launch.cpus = CpusOf(desired, facts, options.host_cpus);
  for (const NumaGrant& grant : desired.lease.numa) {
    launch.memory_bytes_max += grant.memory_mib * kMiB;
    if (!facts.simulated)
      launch.memory_nodes.Add(facts.numa[static_cast<size_t>(grant.numa)].os_id);
  }
  launch.processes_max = options.processes_max;
  launch.parts = PartsOf(desired, facts);
  launch.mig = MigOf(desired, facts);
}

// What the job sees of the host.  REQUIRES: AddGrants has run.
void AddPrivateMounts(const DesiredLease& desired, const LaunchOptions& options,
                      LaunchSpec& launch) {
  const JobSpec& spec = *desired.spec;
  const bool by_mps = !launch.parts.empty() && launch.parts.front().mps;
  launch.shm_bytes =
      spec.resources.shm_bytes > 0 ? spec.resources.shm_bytes : launch.memory_bytes_max;
  // A private /tmp may hide the directory in which a client finds its MPS server.
  launch.private_tmp =
      !NeedsHostTmp(desired, options) && !(by_mps && IsInTmp(options.state_directory));
}

std::string SecretNamed(const std::string& name, const DesiredLease& desired) {
  const auto found = desired.secrets.find(name);
  return found == desired.secrets.end() ? "" : found->second;
}

// Whether it is of the system, or the root, or /tmp: such a directory is the image's own.
bool IsOfSystem(std::string_view plain_path) {
  constexpr std::string_view kOfSystem[] = {"bin",   "boot",  "dev",    "etc",  "lib",
                                            "lib32", "lib64", "libx32", "proc", "run",
                                            "sbin",  "sys",   "usr"};
  const std::vector<std::string_view> words = PathWords(plain_path);
  return words.empty() || plain_path == "/tmp" ||
         std::ranges::find(kOfSystem, words.front()) != std::end(kOfSystem);
}

void AddRoot(const DesiredLease& desired, LaunchSpec& launch) {
  const std::string& reference = desired.spec->program.image;
  const Result<ImageReference> image = ParseImageReference(reference);
  if (!image) {
    // A newer controller may know more images.  This one is not found, so that the job cannot
    // start.
    launch.layered_image = LayeredImage{.path = reference, .resolves = true};
  } else if (image->source == ImageReference::Source::kDirectory) {
    launch.image_directory = PlainPath(image->path);
  } else {
    const std::string& digest = image->digest.empty() ? desired.image_digest : image->digest;
    const bool is_pulled = image->source == ImageReference::Source::kRegistry;
    launch.layered_image = LayeredImage{.source = image->source,
                                        .path = is_pulled ? "" : PlainPath(image->path),
                                        .repository = image->repository,
                                        .tag = image->tag,
                                        .digest = digest,
                                        .resolves = desired.lease.rank == 0};
  }
}

// What a job in an image sees of the host.  REQUIRES: AddProgram and AddPrivateMounts have run.
void AddImage(const DesiredLease& desired, const HostUser& user, const LaunchOptions& options,
              LaunchSpec& launch) {
  const JobSpec& spec = *desired.spec;
  if (spec.program.image.empty()) return;
  AddRoot(desired, launch);
  launch.image_credentials = SecretNamed(spec.program.image_credentials, desired);
  launch.device_directory = options.device_directory;
  if (!options.driver_directory.empty() && !desired.lease.gpus.empty()) {
    launch.driver_lists.push_back(options.driver_directory + "/compute");
    if (spec.program.graphics)
      launch.driver_lists.push_back(options.driver_directory + "/graphics");
  }
  launch.user_name = user.name;
  launch.home = user.home;
  launch.private_tmp = true;  // what is to be seen below the host's /tmp is shown in it
  launch.mount_prefixes = options.mount_prefixes;
  const auto show = [&](const std::string& path, HostDirectory::Absent absent) {
    launch.host_directories.push_back({PlainPath(path), absent, "", false, false, false});
  };
  const auto is_mounted = [&](const std::string& path) {
    return std::ranges::any_of(spec.program.mounts,
                               [&](const Mount& mount) { return IsAtOrBelow(mount.to, path); });
  };
  for (const Mount& mount : spec.program.mounts)
    launch.host_directories.push_back({PlainPath(mount.from), HostDirectory::Absent::kFail,
                                       PlainPath(mount.to), mount.read_only, true, false});
  // Wherever it is: in the image's own layer it would be gone with the attempt.
  if (!spec.recovery.checkpoint.directory.empty())
    show(spec.recovery.checkpoint.directory, HostDirectory::Absent::kMake);
  for (const std::string& path : {launch.working_directory, user.home}) {
    if (!path.empty() && !IsOfSystem(PlainPath(path)) && !is_mounted(PlainPath(path)))
      show(path, HostDirectory::Absent::kSkip);
  }
  if (NeedsRsh(desired))
    launch.host_directories.push_back({PlainPath(options.rsh_directory),
                                       HostDirectory::Absent::kFail, kRshDirectoryInImage, true,
                                       false, false});
  if (!launch.parts.empty() && launch.parts.front().mps)
    show(MpsDirectory(options.state_directory, launch.parts.front().minor, user.uid),
         HostDirectory::Absent::kFail);
}

bool CopiesAnything(const JobSpec& spec) {
  return !spec.recovery.checkpoint.copy_to.empty() || !spec.program.artifacts.empty();
}

std::string CopyUrl(const DesiredLease& desired, const std::string& name) {
  std::string url = desired.spec->recovery.checkpoint.copy_to;
  while (url.ends_with('/')) url.pop_back();
  return url + "/" + KeyOf(desired.lease.job) + "/" + name;
}

// What the host fetches before the job starts.
void AddData(const DesiredLease& desired, LaunchSpec& launch) {
  const JobSpec& spec = *desired.spec;
  for (const StagedData& data : spec.program.stage)
    launch.sources.push_back({.url = data.from,
                              .include = data.include,
                              .sha256 = data.sha256,
                              .credentials = SecretNamed(data.credentials, desired),
                              .at = PlainPath(data.to)});
  if (!desired.resume_copy.empty())
    launch.sources.push_back(
        {.url = CopyUrl(desired, desired.resume_copy),
         .include = {},
         .sha256 = {},
         .credentials = SecretNamed(spec.recovery.checkpoint.credentials, desired),
         .at = desired.resume_from,
         .restores = true});
  launch.stage_only = spec.program.stage_only;
  launch.copies = CopiesAnything(spec);
  launch.copies_checkpoints = !spec.recovery.checkpoint.copy_to.empty();
}

void AddRecovery(const JobSpec& spec, LaunchSpec& launch) {
  launch.grace = spec.policy.grace;
  launch.hang_after = spec.recovery.hang_after;
  launch.checkpoint_signal = spec.recovery.checkpoint.signal;
  launch.checkpoint_interval = spec.recovery.checkpoint.every;
  for (const LogRule& rule : spec.recovery.on_log) launch.log_patterns.push_back(rule.pattern);
  for (const MetricRule& rule : spec.recovery.on_metric) {
    // A newer controller may know more conditions; this one is then never met.
    const auto condition = ParseMetricCondition(rule.condition);
    launch.metric_limits.push_back(condition
                                       ? MetricLimit{std::string(condition->name), condition->test,
                                                     std::string(condition->limit)}
                                       : MetricLimit{});
  }
}

// What the image sets comes after what the job and the platform set, and before the defaults.
void AddImageEnvironment(const UnpackedImage& image, std::vector<std::string>& environment) {
  const auto add = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool is_set = std::ranges::any_of(environment, [&](const std::string& other) {
      return other.size() > name.size() && other[name.size()] == '=' && other.starts_with(name);
    });
    if (!is_set && !IsReservedVariable(name)) environment.emplace_back(variable);
  };
  for (const std::string& variable : image.environment) add(variable);
  for (const char* variable : kDefaultEnvironment) add(variable);
}

}  // namespace

int FirstPortOf(const LaunchSpec& launch) {
  constexpr std::string_view kPorts = "GP_PORTS=";
  const auto entry = std::ranges::find_if(
      launch.environment, [&](const std::string& one) { return one.starts_with(kPorts); });
  const int first =
      entry == launch.environment.end() ? 0 : std::atoi(entry->c_str() + kPorts.size());
  return IsFirstPort(first) ? first : 0;
}

std::optional<CopyOrders> CopyOrdersOf(const DesiredLease& desired) {
  const JobSpec& spec = *desired.spec;
  if (!CopiesAnything(spec)) return std::nullopt;
  CopyOrders orders;
  const CheckpointRequest& checkpoint = spec.recovery.checkpoint;
  if (!checkpoint.copy_to.empty()) {
    // A checkpoint's name ends with its number.
    const Checkpoint first{.attempt = desired.lease.attempt, .rank = desired.lease.rank};
    std::string name = CopyName(first);
    name.resize(name.rfind('.') + 1);
    orders.checkpoint_url = CopyUrl(desired, name);
    orders.credentials = SecretNamed(checkpoint.credentials, desired);
    orders.checkpoint_directory = checkpoint.directory;
    orders.decided = desired.checkpoints_seen;
    if (checkpoint.keep > 0) orders.staying = desired.copies;
  }
  for (const Artifact& artifact : spec.program.artifacts) {
    std::string url = artifact.to;
    const std::string job = ElementName(desired.array, desired.lease.job);
    for (size_t at = 0; (at = url.find(kJobIdInUrl, at)) != std::string::npos; at += job.size())
      url.replace(at, kJobIdInUrl.size(), job);
    // Each rank has a list of its own files.
    if (desired.node_names.size() > 1) url += "/rank-" + std::to_string(desired.lease.rank);
    orders.artifacts.push_back({artifact.from, url, SecretNamed(artifact.credentials, desired)});
  }
  return orders;
}

std::string LogDirectory(const LaunchOptions& options, JobId job, int attempt) {
  return options.state_directory + "/logs/" + KeyOf(job) + "/" + std::to_string(attempt);
}

LaunchSpec MakeLaunch(const DesiredLease& desired, const NodeFacts& facts,
                      const LaunchOptions& options, int64_t lease_deadline_boot_ns) {
  const JobSpec& spec = *desired.spec;
  const HostUser user = options.resolve_user(desired.user);
  LaunchSpec launch;
  launch.key = KeyOf(desired.lease.id);
  launch.environment = MakeEnvironment(desired, facts, user, options);
  AddProgram(desired, user, options, launch);
  AddGrants(desired, facts, options, launch);
  AddPrivateMounts(desired, options, launch);
  AddImage(desired, user, options, launch);
  AddData(desired, launch);
  launch.private_processes = options.private_processes;
  launch.private_network = spec.program.network == NetworkAccess::kNone;
  AddRecovery(spec, launch);
  launch.log_directory = LogDirectory(options, desired.lease.job, desired.lease.attempt);
  launch.log_name = std::to_string(desired.lease.rank);
  launch.log_bytes_max = options.log_bytes_max;
  launch.stop_on_lease_loss = desired.lease.stop_on_loss;
  launch.lease_deadline_boot_ns = lease_deadline_boot_ns;
  launch.report_pipe = ReportPipe(options, desired.lease.id);
  launch.prolog = options.prolog;
  launch.epilog = options.epilog;
  return launch;
}

void CompleteLaunch(const std::vector<std::string>& paths, LaunchSpec& launch) {
  for (size_t i = 0; i < paths.size() && i < launch.sources.size(); ++i) {
    if (paths[i].empty()) continue;
    launch.host_directories.push_back({.path = paths[i],
                                       .absent = HostDirectory::Absent::kFail,
                                       .at = launch.sources[i].at,
                                       .read_only = true,
                                       .is_requested = false,
                                       .is_of_agent = true});
  }
  launch.sources.clear();
}

void CompleteLaunch(const UnpackedImage& image, LaunchSpec& launch) {
  launch.layered_image.reset();
  launch.image_credentials.clear();
  launch.image_layers = image.layers;
  AddImageEnvironment(image, launch.environment);
  launch.environment.push_back("GP_IMAGE_DIGEST=" + image.digest);
  if (!launch.has_own_working_directory && image.working_directory.starts_with('/'))
    launch.working_directory = image.working_directory;
}

}  // namespace gp
