#include "adapters/inbound/job_import/slurm/slurm_words.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kPrefix = "SLURM";
constexpr std::string_view kOfArray = "SLURM_ARRAY_";

bool IsOfName(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsCommentLine(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos || line[first] == '#';
}

// The words of letters, digits and underscores in a line.
std::vector<std::string> NamesIn(const std::string& line) {
  std::vector<std::string> names;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && IsOfName(line[end])) ++end;
    if (end > i) names.push_back(line.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

// The words that could name programs, without their directories: "srun" of "/usr/bin/srun".
std::vector<std::string> ProgramsIn(const std::string& line) {
  const auto is_of_word = [](char c) { return IsOfName(c) || c == '.' || c == '/' || c == '-'; };
  std::vector<std::string> programs;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && is_of_word(line[end])) ++end;
    const std::string word = line.substr(i, end - i);
    const std::string program = word.substr(word.rfind('/') + 1);
    if (!program.empty() && std::ranges::find(programs, program) == programs.end())
      programs.push_back(program);
    i = std::max(end, i + 1);
  }
  return programs;
}

std::optional<std::string> ProgramNote(const std::string& program, const ScriptFacts& facts) {
  if (program == "srun")
    return "each node runs the whole script: remove srun; programs on several nodes find each "
           "other by GP_MASTER_ADDR, GP_NNODES and GP_NODE_RANK";
  if (program == "mpirun" || program == "mpiexec" || program.starts_with("mpiexec."))
    return "each node runs the whole script: write its program as the command of a job with "
           "launcher: mpi, which runs mpirun on rank 0 for the GPUs of all nodes";
  if (program == "scontrol")
    return "a Slurm command, which is not available: use gpu-platform jobs describe, hold and "
           "release; GP_NODE_LIST names the nodes";
  if (program == "sbatch")
    return "a Slurm command, which is not available: use gpu-platform jobs submit FILE";
  if (program == "module" && !facts.is_login_shell)
    return "a function of login shells: begin with #!/bin/bash -l, or with . "
           "/etc/profile.d/modules.sh if the nodes have it";
  constexpr std::string_view kSlurm[] = {"salloc",  "sbcast",   "squeue",  "sinfo",
                                         "sacct",   "sacctmgr", "scancel", "sstat",
                                         "sattach", "sprio",    "sshare",  "strigger"};
  if (std::ranges::find(kSlurm, program) != std::end(kSlurm))
    return "a Slurm command, which is not available: see gpu-platform jobs --help";
  return std::nullopt;
}

// The task id of an array element as shell text, such as "7 + (GP_ARRAY_INDEX - 2)" for a later
// run.
std::string TaskIdOf(const SlurmArray& array) {
  std::string text;
  int64_t before = 0;
  for (size_t i = 0; i < array.runs.size(); ++i) {
    const SlurmArray::Run& run = array.runs[i];
    const std::string index =
        before == 0 ? "GP_ARRAY_INDEX" : "(GP_ARRAY_INDEX - " + std::to_string(before) + ")";
    before += run.count;
    if (i + 1 < array.runs.size()) text += "GP_ARRAY_INDEX < " + std::to_string(before) + " ? ";
    text += std::to_string(run.first) +
            (run.count == 1 ? "" : " + " + std::to_string(run.step) + " * " + index);
    if (i + 1 < array.runs.size()) text += " : ";
  }
  return text == "0 + 1 * GP_ARRAY_INDEX" ? "$GP_ARRAY_INDEX" : "$((" + text + "))";
}

void AddArray(const SlurmArray& array, std::map<std::string, std::string>& values) {
  if (array.runs.empty()) return;
  const int64_t step = array.runs.size() == 1 ? array.runs.front().step : 1;
  values["SLURM_ARRAY_TASK_ID"] = TaskIdOf(array);
  values["SLURM_ARRAY_JOB_ID"] = "$GP_ARRAY_ID";
  values["SLURM_ARRAY_TASK_COUNT"] = "$GP_ARRAY_COUNT";
  values["SLURM_ARRAY_TASK_MIN"] = std::to_string(array.runs.front().first);
  values["SLURM_ARRAY_TASK_MAX"] = std::to_string(array.runs.back().Last());
  values["SLURM_ARRAY_TASK_STEP"] = std::to_string(step);
}

std::map<std::string, std::string> Counterparts(const ScriptFacts& facts) {
  const std::string tasks = std::to_string(facts.tasks_per_node);
  const bool is_one = facts.tasks_per_node == 1;
  const std::string all_tasks = is_one ? "$GP_NNODES" : "$((GP_NNODES * " + tasks + "))";
  std::map<std::string, std::string> values{
      {"SLURM_JOB_ID", "$GP_JOB_ID"},
      {"SLURM_JOBID", "$GP_JOB_ID"},
      {"SLURM_NNODES", "$GP_NNODES"},
      {"SLURM_JOB_NUM_NODES", "$GP_NNODES"},
      {"SLURM_STEP_NUM_NODES", "$GP_NNODES"},
      {"SLURM_NODEID", "$GP_NODE_RANK"},
      {"SLURM_JOB_NODELIST", "$GP_NODE_LIST"},
      {"SLURM_NODELIST", "$GP_NODE_LIST"},
      {"SLURM_STEP_NODELIST", "$GP_NODE_LIST"},
      {"SLURMD_NODENAME", "$(echo \"$GP_NODE_LIST\" | cut -d , -f $((GP_NODE_RANK + 1)))"},
      {"SLURM_LAUNCH_NODE_IPADDR", "$GP_MASTER_ADDR"},
      {"SLURM_GPUS_ON_NODE", "$GP_GPUS_PER_NODE"},
      {"SLURM_GPUS_PER_NODE", "$GP_GPUS_PER_NODE"},
      {"SLURM_GPUS", "$((GP_GPUS_PER_NODE * GP_NNODES))"},
      {"SLURM_SUBMIT_DIR", "$PWD"},
      {"SLURM_JOB_USER", "$USER"},
      {"SLURM_JOB_UID", "$(id -u)"},
      {"SLURM_TMPDIR", "${TMPDIR:-/tmp}"},
      {"SLURM_CPUS_ON_NODE", "$(nproc)"},
      {"SLURM_JOB_CPUS_PER_NODE", "$(nproc)"},
      {"SLURM_RESTART_COUNT", "$((GP_ATTEMPT - 1))"},
      {"SLURM_NTASKS", all_tasks},
      {"SLURM_NPROCS", all_tasks},
      {"SLURM_STEP_NUM_TASKS", all_tasks},
      {"SLURM_NTASKS_PER_NODE", tasks},
      {"SLURM_TASKS_PER_NODE", tasks},
      {"SLURM_PROCID", is_one ? "$GP_NODE_RANK" : "$((GP_NODE_RANK * " + tasks + "))"},
      {"SLURM_LOCALID", "0"},
  };
  values.insert(facts.stated.begin(), facts.stated.end());
  AddArray(facts.array, values);
  return values;
}

// Whether programs read the variable themselves: the index in an array, or the task of a step.
bool IsReadByPrograms(std::string_view name, const ScriptFacts& facts) {
  constexpr std::string_view kOfStep[] = {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_LOCALID",
                                          "SLURM_NNODES", "SLURM_NODEID",       "SLURM_NTASKS",
                                          "SLURM_PROCID"};
  return name.starts_with(kOfArray) ||
         (facts.has_steps && std::ranges::find(kOfStep, name) != std::end(kOfStep));
}

}  // namespace

std::vector<std::string> SlurmVariables(const std::vector<ScriptLine>& body,
                                        const ScriptFacts& facts, std::vector<ImportNote>& notes) {
  const std::map<std::string, std::string> values = Counterparts(facts);
  std::map<std::string, int> read;  // name, and the first line that reads it
  for (const auto& [number, text] : body) {
    if (IsCommentLine(text)) continue;
    for (const std::string& name : NamesIn(text)) {
      if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) read.try_emplace(name, number);
    }
    for (const std::string& program : ProgramsIn(text)) {
      if (const auto note = ProgramNote(program, facts)) notes.push_back({number, program, *note});
    }
  }
  std::vector<std::string> exports;
  for (const auto& [name, number] : read) {
    const auto value = values.find(name);
    if (value == values.end()) {
      notes.push_back(
          {number, Printable(name, 60),
           "is not set here: see the variables of a job (docs/how-to/run_many_nodes.md), "
           "or set it: --env " +
               Printable(name, 60) + "=…"});
    } else if (!facts.is_shell) {
      notes.push_back({number, name, "is not set here: use " + value->second});
    }
  }
  for (const auto& [name, value] : values) {
    if (facts.is_shell && (read.contains(name) || IsReadByPrograms(name, facts)))
      exports.push_back("export " + name + "=\"" + value + "\"");
  }
  return exports;
}

}  // namespace gp
