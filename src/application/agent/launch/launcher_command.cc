#include "application/agent/launch/launcher_command.h"

#include <algorithm>

#include "base/text.h"
#include "domain/model/jobs/launcher.h"

namespace gp {
namespace {

using Words = std::vector<std::string>;

// One process for each GPU, or one without GPUs.
size_t ProcessesPerNode(const DesiredLease& desired) {
  return std::max<size_t>(1, desired.lease.gpus.size());
}

std::string AllProcesses(const DesiredLease& desired) {
  return std::to_string(desired.node_names.size() * ProcessesPerNode(desired));
}

Words With(Words words, const Words& command) {
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

// Nodes, ranks and the rendezvous are in the variables PET_….  Restarts are the platform's.
Words Torchrun(const Words& command) {
  return With({"torchrun", "--max_restarts", "0", "--no_python"}, command);
}

// The rendezvous is taken from the environment, because the job may set it itself.
constexpr char kAccelerate[] =
    "exec accelerate launch --main_process_ip \"$MASTER_ADDR\" --main_process_port "
    "\"$MASTER_PORT\" \"$@\"";

Words Accelerate(const DesiredLease& desired, const Words& command) {
  Words words{"/bin/sh", "-c", kAccelerate, "sh", "--no_python"};
  if (AllProcesses(desired) != "1" && !desired.lease.gpus.empty())
    words.emplace_back("--multi_gpu");
  words =
      With(words, {"--num_machines", std::to_string(desired.node_names.size()), "--machine_rank",
                   std::to_string(desired.lease.rank), "--num_processes", AllProcesses(desired)});
  return With(words, command);
}

// Rank 0 runs this command; the other ranks wait for what it starts on their nodes.
Words ByRankZero(const DesiredLease& desired, const std::string& rsh, const Words& leader,
                 const Words& follower) {
  if (desired.node_names.size() == 1) return leader;
  return desired.lease.rank == 0 ? With({rsh, "--lead"}, leader)
                                 : With({rsh, "--follow"}, follower);
}

Words Mpirun(const DesiredLease& desired, const Words& options, const Words& command) {
  Words hosts;
  for (const std::string& node : desired.node_names)
    hosts.push_back((desired.node_names.size() == 1 ? "localhost" : node) + ":" +
                    std::to_string(ProcessesPerNode(desired)));
  return With(With({"mpirun", "--host", Join(hosts, ","), "-np", AllProcesses(desired)}, options),
              command);
}

// One slot a GPU, and no binding to cores: the job has its cores already.
const Words kHorovodOptions{"-bind-to", "none", "-map-by", "slot", "-mca",
                            "pml",      "ob1",  "-mca",    "btl",  "^openib"};

// $1: GPUs of the node; then the command.
constexpr char kRayLeader[] =
    "gpus=$1; shift; "
    "ray start --head --port=\"$MASTER_PORT\" --num-gpus=\"$gpus\" "
    "--temp-dir=\"${TMPDIR:-/tmp}/ray\" --ray-client-server-port=$((MASTER_PORT + 1)) "
    "--include-dashboard=false --disable-usage-stats || exit; "
    "export RAY_ADDRESS=\"$MASTER_ADDR:$MASTER_PORT\"; \"$@\"; code=$?; ray stop > /dev/null; "
    "exit $code";
// The head may need a while to listen.
constexpr char kRayFollower[] =
    "for try in 1 2 3 4 5 6 7 8 9 10; do "
    "ray start --address=\"$MASTER_ADDR:$MASTER_PORT\" --num-gpus=\"$1\" "
    "--disable-usage-stats --block; sleep 3; done; exit 1";

}  // namespace

std::vector<std::string> LauncherCommand(const DesiredLease& desired, const std::string& rsh) {
  const Words& command = desired.spec->program.command;
  const std::string gpus = std::to_string(desired.lease.gpus.size());
  switch (desired.spec->program.launcher) {
    case Launcher::kNone: break;
    case Launcher::kTorchrun:
    case Launcher::kDeepspeed: return Torchrun(command);
    case Launcher::kAccelerate: return Accelerate(desired, command);
    case Launcher::kMpi: return ByRankZero(desired, rsh, Mpirun(desired, {}, command), {});
    case Launcher::kHorovod:
      return ByRankZero(desired, rsh, Mpirun(desired, kHorovodOptions, command), {});
    case Launcher::kRay:
      return ByRankZero(desired, rsh, With({"/bin/sh", "-c", kRayLeader, "sh", gpus}, command),
                        {"/bin/sh", "-c", kRayFollower, "sh", gpus});
  }
  return command;
}

bool NeedsRsh(const DesiredLease& desired) {
  return desired.node_names.size() > 1 && IsLedByRankZero(desired.spec->program.launcher);
}

void AddRshVariables(const std::string& rsh, std::map<std::string, std::string>& environment) {
  environment["GP_RSH"] = rsh;
  environment.emplace("OMPI_MCA_plm_rsh_agent", rsh);  // Open MPI 4
  environment.emplace("PRTE_MCA_plm_ssh_agent", rsh);  // Open MPI 5
  environment.emplace("HYDRA_LAUNCHER", "ssh");        // MPICH
  environment.emplace("HYDRA_LAUNCHER_EXEC", rsh);
  environment.emplace("I_MPI_HYDRA_BOOTSTRAP", "ssh");  // Intel MPI
  environment.emplace("I_MPI_HYDRA_BOOTSTRAP_EXEC", rsh);
}

}  // namespace gp
