#include "cmd/agent/agent_settings.h"

#include "cmd/settings/profiles.h"
#include "cmd/settings/text_faults.h"

namespace gp {
namespace {

constexpr const char* kListName = "ADDRESS[,ADDRESS…]";

// What is kept for later jobs, and what else images get.
SettingRows StoreRows(AgentConfig& config) {
  return {
      {.key = "image_store_gib",
       .flag = "--image-store",
       .value_name = "GIB",
       .meaning = "Most that unpacked layers of images take of the state directory's disk, in GiB; "
                  "those unused longest are removed",
       .target = &config.image_store_gib,
       .least = 1,
       .most = 1 << 20},
      {.key = "data_gib",
       .flag = "--data",
       .value_name = "GIB",
       .meaning =
           "Most that fetched data of jobs takes of the state directory's disk, in GiB; what "
           "was unused longest is removed",
       .target = &config.data_gib,
       .least = 1,
       .most = 1 << 20},
      {.key = "data_addresses",
       .flag = "--data-address",
       .value_name = "NETWORK",
       .meaning =
           "Network such as 127.0.0.1/32 that transfers of jobs' data may reach, though it is "
           "loopback or link-local, and by http; may be given several times. Default: none",
       .target = &config.data_addresses,
       .fault_of = NetworkFault},
      {.key = "driver_directory",
       .flag = "--driver-directory",
       .value_name = "DIRECTORY",
       .meaning = "Directory of the driver's libraries for jobs in images; default: what CDI files "
                  "in /etc/cdi name, else where installers put them",
       .target = &config.driver_directory,
       .is_path = IsPath},
  };
}

SettingRows JobRows(AgentConfig& config) {
  return {
      {.key = "name",
       .flag = "--name",
       .value_name = "NAME",
       .meaning = "Name of this machine's node; default: the host's",
       .target = &config.name},
      {.key = "service_user",
       .flag = "--service-user",
       .value_name = "USER",
       .meaning = "User that runs the jobs that root submits",
       .target = &config.service_user},
      {.key = "allow_root",
       .flag = "--allow-root",
       .meaning = "Let root's jobs run as root",
       .target = &config.allow_root},
      {.key = "host_processes",
       .flag = "--host-processes",
       .meaning = "Jobs share the host's processes and IPC in place of having their own; such a "
                  "node offers no images",
       .target = &config.host_processes},
      {.key = "prolog",
       .flag = "--prolog",
       .value_name = "FILE",
       .meaning = "Program run as root before each job",
       .target = &config.prolog,
       .is_path = IsPath},
      {.key = "epilog",
       .flag = "--epilog",
       .value_name = "FILE",
       .meaning = "Program run as root after each job",
       .target = &config.epilog,
       .is_path = IsPath},
      {.key = "mount_prefixes",
       .flag = "--mount-prefix",
       .value_name = "DIRECTORY",
       .meaning =
           "Directory whose contents jobs in images may mount, with their users' rights; may "
           "be given several times. Default: any directory of this node",
       .target = &config.mount_prefixes,
       .fault_of = DirectoryFault},
      {.key = "keep_logs",
       .flag = "--keep-logs",
       .value_name = "DURATION",
       .meaning = "Remove output of jobs this long after it was written; 0s: never",
       .target = &config.keep_logs,
       .most = kSettingDurationMax},
  };
}

SettingRows GpuRows(AgentConfig& config) {
  return {
      {.key = "nvml",
       .flag = "--nvml",
       .value_name = "FILE",
       .meaning = "NVML library to load; default: libnvidia-ml.so.1 of the host",
       .target = &config.nvml,
       .is_path = IsPathWithSlash},
      {.key = "mig",
       .flag = "--mig",
       .value_name = "GPUS[=PROFILES]",
       .meaning = "GPUs to put into MIG mode: all, UUIDs, or nvidia-smi's indexes such as 0,2-3; "
                  "with =PROFILE,... each is divided into exactly those instances: "
                  "0-1=3g.40gb,4g.40gb. May be given several times; default: no change",
       .target = &config.mig,
       .separator = kMigSeparator},
      {.key = "mps_control",
       .flag = "--mps-control",
       .value_name = "FILE",
       .meaning = "NVIDIA's control program of MPS, or none; default: nvidia-cuda-mps-control in "
                  "PATH",
       .target = &config.mps_control,
       .is_path = IsPathWithSlash},
      {.key = "reset_command",
       .flag = "--reset-command",
       .value_name = "FILE",
       .meaning = "Program that resets a GPU, called as COMMAND --gpu-reset -i BUS-ID",
       .target = &config.reset_command,
       .is_path = IsPathWithSlash},
      {.key = "kernel_log",
       .flag = "--kernel-log",
       .value_name = "FILE",
       .meaning = "Kernel log with the driver's XIDs, or none; default: /dev/kmsg, none on a "
                  "simulated node",
       .target = &config.kernel_log,
       .is_path = IsPathWithSlash},
      {.key = "gpu_memory_tolerance",
       .flag = "--gpu-memory-tolerance",
       .value_name = "MIB",
       .meaning = "MiB of a shared GPU's memory that a job may use beyond its grant",
       .target = &config.gpu_memory_tolerance_mib,
       .most = 1 << 24},
      {.key = "gpu_memory_readings",
       .flag = "--gpu-memory-readings",
       .value_name = "COUNT",
       .meaning = "Stop the job after this many readings in a row beyond that",
       .target = &config.gpu_memory_readings,
       .least = 1,
       .most = 3'600},
      {.key = "gpu_test",
       .flag = "--gpu-test",
       .value_name = "FILE",
       .meaning = "Additional GPU test: a program called with the UUID; exit code 0: passed",
       .target = &config.gpu_test,
       .is_path = IsPath},
  };
}

// How the agent finds its controller, and what it simulates.
SettingRows OwnRows(AgentConfig& config) {
  return {
      {.key = "profile",
       .flag = "--profile",
       .value_name = "PROFILE",
       .meaning = "Values for a kind of site: development or production",
       .target = &config.profile,
       .fault_of = ProfileFault},
      {.key = "controllers",
       .flag = "--controller",
       .value_name = kListName,
       .meaning = "Controller: unix:SOCKET, the directory of its sockets, or HOST:PORT; several "
                  "addresses, separated by commas, are probed together",
       .target = &config.controllers,
       .fault_of = ControllerFault},
      {.key = "join_token_file",
       .flag = "--join-token-file",
       .value_name = "FILE",
       .meaning = "File with the controller's join token",
       .target = &config.join_token_file,
       .is_path = IsPath},
      {.key = "authority",
       .flag = "--authority",
       .value_name = "AUTHORITY",
       .meaning = "Authority of a controller on another machine: sha256:FINGERPRINT, printed by "
                  "the controller at startup, or a file with its certificate",
       .target = &config.authority,
       .fault_of = AuthorityFault,
       .is_path = IsPathOrFingerprint},
      {.key = "state",
       .flag = "--state",
       .value_name = "DIRECTORY",
       .meaning = "State directory, with attempts and logs",
       .target = &config.state_directory,
       .is_path = IsPath},
      {.key = "simulate",
       .flag = "--simulate",
       .value_name = "MACHINE",
       .meaning = "Simulate a machine with GPUs: a name (dgx-h100) or a machine file",
       .target = &config.simulate,
       .is_path = IsPathWithSlash},
      {.key = "node_index",
       .flag = "--node-index",
       .value_name = "INDEX",
       .meaning = "Number of this simulated node on its host: 0, 1, 2 …",
       .target = &config.node_index,
       .most = 4'095},
  };
}

void Append(SettingRows& rows, SettingRows more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

}  // namespace

SettingRows NodeSettings(AgentConfig& config, const std::string& prefix) {
  SettingRows rows = JobRows(config);
  Append(rows, StoreRows(config));
  Append(rows, GpuRows(config));
  for (Setting& row : rows) row.key = prefix + row.key;
  return rows;
}

SettingsProgram AgentProgram(AgentConfig& config) {
  SettingsProgram program{.name = "agent",
                          .prefix = "GPU_PLATFORM_AGENT_",
                          .drop_ins = "agent.conf.d",
                          .rows = OwnRows(config),
                          .sections = {}};
  Append(program.rows, NodeSettings(config, ""));
  return program;
}

std::vector<std::string> FlagsOf(const AgentConfig& config) {
  AgentConfig given = config, built_in;
  const SettingRows rows = NodeSettings(given, "");
  const SettingRows defaults = NodeSettings(built_in, "");
  std::vector<std::string> words;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Setting& row = rows[i];
    const std::string text = ValueText(row);
    if (text == ValueText(defaults[i])) continue;
    if (const auto* texts = std::get_if<std::vector<std::string>*>(&row.target)) {
      for (const std::string& one : **texts) words.insert(words.end(), {row.flag, one});
    } else if (std::holds_alternative<bool*>(row.target)) {
      words.push_back(row.flag);
    } else if (const auto* one = std::get_if<std::string*>(&row.target)) {
      words.insert(words.end(), {row.flag, **one});
    } else {
      words.insert(words.end(), {row.flag, text});
    }
  }
  return words;
}

}  // namespace gp
