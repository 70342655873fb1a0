#include "cmd/agent/agent_config.h"

#include <CLI/CLI.hpp>

#include "cmd/text/span_flag.h"

namespace gp {

void AddNodeFlags(CLI::App& sub, AgentConfig& config) {
  sub.add_option("--name", config.name, "Name of this machine's node; default: the host's");
  sub.add_option("--nvml", config.nvml, "NVML library to load")->type_name("FILE");
  sub.add_option("--service-user", config.service_user,
                 "User that runs the jobs that root submits");
  sub.add_flag("--allow-root", config.allow_root, "Let root's jobs run as root");
  sub.add_option("--prolog", config.prolog, "Program run as root before each job")
      ->type_name("FILE");
  sub.add_option("--epilog", config.epilog, "Program run as root after each job")
      ->type_name("FILE");
  AddSpan(sub, "--keep-logs", config.keep_logs,
          "Remove output of jobs this long after it was written; 0s: never", "90d");
  sub.add_option(
         "--mig", config.mig,
         "GPUs to put into MIG mode: all, UUIDs, or nvidia-smi's indexes such as 0,2-3; "
         "with =PROFILE,... each is divided into exactly those instances: 0-1=3g.40gb,4g.40gb. "
         "May be given several times; default: no change")
      ->type_name("GPUS[=PROFILES]")
      ->join(kMigSeparator);
  sub.add_option(
         "--mps-control", config.mps_control,
         "NVIDIA's control program of MPS, or none; default: nvidia-cuda-mps-control in PATH")
      ->type_name("FILE");
}

}  // namespace gp
