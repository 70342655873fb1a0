#include "cmd/usage/foreign_words.h"

#include <algorithm>
#include <map>

namespace gp {
namespace {

constexpr ForeignWord kForeignWords[] = {
    {"Slurm", "", "sacct", "jobs list --all"},
    {"Slurm", "", "sacctmgr", "queues set NAME or roles grant USER ROLE"},
    {"Slurm", "", "salloc", "run --pty -- bash"},
    {"Slurm", "", "sattach", "jobs logs -f JOB"},
    {"Slurm", "", "sbatch",
     "jobs submit FILE (jobs import FILE makes a job file of an sbatch script)"},
    {"Slurm", "", "scancel", "jobs cancel JOB"},
    {"Slurm", "", "scontrol show job", "jobs describe JOB"},
    {"Slurm", "", "scontrol show node", "nodes describe NODE"},
    {"Slurm", "", "scontrol show partition", "queues list"},
    {"Slurm", "", "scontrol show reservation", "reservations list"},
    {"Slurm", "", "scontrol show config", "config running"},
    {"Slurm", "", "scontrol hold", "jobs hold JOB"},
    {"Slurm", "", "scontrol release", "jobs release JOB"},
    {"Slurm", "", "scontrol requeue", "jobs retry JOB"},
    {"Slurm", "", "scontrol update", "jobs priority, jobs extend, jobs move, drain or online"},
    {"Slurm", "", "scontrol create", "reservations create NAME"},
    {"Slurm", "", "scontrol reconfigure", "config reload"},
    {"Slurm", "", "scontrol",
     "jobs describe JOB, jobs hold JOB, nodes describe NODE or drain NODE"},
    {"Slurm", "", "sdiag", "metrics"},
    {"Slurm", "", "sinfo", "status"},
    {"Slurm", "", "sprio", "jobs explain JOB"},
    {"Slurm", "", "squeue", "jobs list"},
    {"Slurm", "", "sreport", "usage"},
    {"Slurm", "", "srun", "run -- COMMAND"},
    {"Slurm", "", "sshare", "queues list"},
    {"Slurm", "", "sstat", "jobs report JOB"},
    {"Slurm", "", "strigger", "run --notify RECEIVER"},
    {"kubectl", "", "get pods", "jobs list"},
    {"kubectl", "", "get jobs", "jobs list"},
    {"kubectl", "", "get nodes", "nodes list"},
    {"kubectl", "", "get events", "incidents list"},
    {"kubectl", "", "get", "jobs list, nodes list or queues list"},
    {"kubectl", "", "describe node", "nodes describe NODE"},
    {"kubectl", "", "describe pod", "jobs describe JOB"},
    {"kubectl", "", "describe job", "jobs describe JOB"},
    {"kubectl", "", "apply", "jobs submit FILE"},
    {"kubectl", "", "create", "jobs submit FILE"},
    {"kubectl", "", "delete", "jobs cancel JOB"},
    {"kubectl", "", "cordon", "drain NODE"},
    {"kubectl", "", "uncordon", "online NODE"},
    {"kubectl", "", "taint", "drain NODE"},
    {"kubectl", "", "logs", "jobs logs JOB"},
    {"kubectl", "", "exec", "jobs exec JOB -- COMMAND"},
    {"kubectl", "", "label", "nodes label NODE NAME=VALUE"},
    {"kubectl", "", "top", "watch"},
    {"kubectl", "", "auth", "whoami"},
    {"", "", "submit", "jobs submit FILE"},
    {"", "", "cancel", "jobs cancel JOB"},
    {"", "", "kill", "jobs kill JOB"},
    {"", "", "ls", "jobs list"},
    {"", "", "list", "jobs list"},
    {"", "", "ps", "jobs list"},
    {"", "", "nvidia-smi", "gpus list"},
    {"", "", "start", "serve"},
    {"", "", "server", "serve"},
    {"", "", "info", "status"},
    {"", "nodes", "drain", "drain NODE"},
    {"", "nodes", "cordon", "drain NODE"},
    {"", "nodes", "uncordon", "online NODE"},
    {"", "nodes", "online", "online NODE"},
    {"", "nodes", "offline", "offline NODE"},
    {"", "nodes", "get", "nodes describe NODE"},
    {"", "nodes", "show", "nodes describe NODE"},
    {"", "nodes", "add", "init agent (on the node)"},
    {"", "nodes", "join", "init agent (on the node)"},
    {"", "nodes", "remove", "nodes declare-lost NODE"},
    {"", "nodes", "delete", "nodes declare-lost NODE"},
    {"", "jobs", "get", "jobs describe JOB"},
    {"", "jobs", "show", "jobs describe JOB"},
    {"", "jobs", "delete", "jobs cancel JOB"},
    {"", "jobs", "stop", "jobs cancel JOB"},
    {"", "jobs", "rerun", "jobs retry JOB"},
    {"", "jobs", "requeue", "jobs retry JOB"},
    {"", "jobs", "suspend", "jobs hold JOB"},
    {"", "jobs", "resume", "jobs release JOB"},
    {"", "jobs", "why", "jobs explain JOB"},
    {"", "jobs", "status", "jobs describe JOB"},
    {"", "jobs", "output", "jobs logs JOB"},
    {"", "jobs", "ssh", "jobs exec --pty JOB -- bash"},
    {"", "jobs", "attach", "jobs logs -f JOB"},
    {"", "jobs", "ls", "jobs list"},
    {"", "queues", "add", "queues set NAME"},
    {"", "queues", "create", "queues set NAME"},
    {"", "queues", "update", "queues set NAME"},
    {"", "queues", "remove", "queues delete NAME"},
    {"", "queues", "show", "queues list"},
    {"", "budget", "create", "budget set"},
    {"", "budget", "add", "budget set"},
    {"", "secrets", "create", "secrets set NAME"},
    {"", "secrets", "add", "secrets set NAME"},
    {"", "tokens", "add", "tokens create"},
    {"", "roles", "set", "roles grant USER ROLE"},
    {"", "gpus", "describe", "health GPU"},
    {"", "gpus", "show", "health GPU"},
};

// Slurm's flags first.
const std::map<std::string_view, std::vector<std::string_view>> kForeignFlags = {
    {"--account", {"--project"}},
    {"-A", {"--project"}},
    {"--chdir", {"--workdir"}},
    {"-D", {"--workdir"}},
    {"--constraint", {"--node-label"}},
    {"-C", {"--node-label"}},
    {"--cpus-per-task", {"--cpus"}},
    {"--dependency", {"--after"}},
    {"--export", {"--env"}},
    {"--gres", {"--gpus"}},
    {"-G", {"--gpus"}},
    {"--job-name", {"--name"}},
    {"-J", {"--name"}},
    {"--mail-type", {"--notify"}},
    {"--mail-user", {"--notify"}},
    {"--mem", {"--memory"}},
    {"-N", {"--nodes"}},
    {"--partition", {"--queue"}},
    {"-p", {"--queue"}},
    {"--qos", {"--priority"}},
    {"--requeue", {"--retries"}},
    {"--restart", {"--retries"}},
    {"-t", {"--time", "--state"}},
    {"--states", {"--state"}},
    {"-u", {"--user"}},
    {"--mine", {"--me"}},
    {"-l", {"--label"}},
    {"--selector", {"--label"}},
    {"-S", {"--since"}},
    {"--starttime", {"--since"}},
    {"--format", {"--columns"}},
    {"--sort-by", {"--sort"}},
    {"-a", {"--all"}},
    {"--previous", {"--attempt"}},
    {"-it", {"--pty"}},
    {"-i", {"--pty"}},
    {"--wckey", {"--label"}},
    {"-v", {"--version"}},
    {"-V", {"--version"}},
    {"--nodelist", {"--node-label"}},
    {"-w", {"--node-label"}},
};

size_t CountWords(std::string_view text) {
  return 1 + static_cast<size_t>(std::ranges::count(text, ' '));
}

bool BeginsWith(const std::vector<std::string>& words, std::string_view text) {
  for (const std::string& word : words) {
    const std::string_view first = text.substr(0, text.find(' '));
    if (word != first) return false;
    if (first.size() == text.size()) return true;
    text.remove_prefix(first.size() + 1);
  }
  return false;
}

}  // namespace

const ForeignWord* FindForeignWord(std::string_view path, const std::vector<std::string>& words) {
  const ForeignWord* found = nullptr;
  for (const ForeignWord& one : kForeignWords) {
    if (one.path != path || !BeginsWith(words, one.word)) continue;
    if (found == nullptr || CountWords(one.word) > CountWords(found->word)) found = &one;
  }
  return found;
}

std::vector<std::string_view> FlagsMeant(std::string_view flag) {
  const auto found = kForeignFlags.find(flag);
  return found == kForeignFlags.end() ? std::vector<std::string_view>() : found->second;
}

}  // namespace gp
