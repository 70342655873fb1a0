#include "adapters/inbound/job_import/slurm_words.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kPrefix = "SLURM";
constexpr std::string_view kOfArray = "SLURM_ARRAY_";

bool IsOfName(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool IsCommentLine(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos || line[first] == '#';
}

// Names of letters, digits and underscores; those that begin with a dash, a dot or a slash belong to something else.
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

// Words as they could name programs, by the last part of their paths: "srun" of "/usr/bin/srun".
std::vector<std::string> ProgramsIn(const std::string& line) {
  const auto is_of_word = [](char c) { return IsOfName(c) || c == '.' || c == '/' || c == '-'; };
  std::vector<std::string> programs;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && is_of_word(line[end])) ++end;
    const std::string word = line.substr(i, end - i);
    const std::string program = word.substr(word.rfind('/') + 1);
    if (!program.empty() && std::ranges::find(programs, program) == programs.end()) programs.push_back(program);
    i = std::max(end, i + 1);
  }
  return programs;
}

std::optional<std::string> ProgramNote(const std::string& program) {
  if (program == "srun") return "each node runs the whole script: take srun away; programs on several nodes find each other by GP_MASTER_ADDR, GP_NNODES and GP_NODE_RANK";
  if (program == "mpirun" || program == "mpiexec" || program.starts_with("mpiexec.")) return "each node runs the whole script: let only the node with GP_NODE_RANK 0 do this, with the hosts of GP_NODE_LIST";
  constexpr std::string_view kSlurm[] = {"sbatch", "salloc", "sbcast", "scontrol", "squeue", "sinfo", "sacct", "sacctmgr", "scancel", "sstat", "sattach", "sprio", "sshare", "strigger"};
  if (std::ranges::find(kSlurm, program) != std::end(kSlurm)) return "a command of Slurm's: gpu-platform jobs --help";
  return std::nullopt;
}

std::map<std::string, std::string> Counterparts(const ScriptFacts& facts) {
  std::map<std::string, std::string> values{
      {"SLURM_JOB_ID", "$GP_JOB_ID"},          {"SLURM_JOBID", "$GP_JOB_ID"},           {"SLURM_NNODES", "$GP_NNODES"},
      {"SLURM_JOB_NUM_NODES", "$GP_NNODES"},   {"SLURM_NODEID", "$GP_NODE_RANK"},       {"SLURM_JOB_NODELIST", "$GP_NODE_LIST"},
      {"SLURM_NODELIST", "$GP_NODE_LIST"},     {"SLURM_GPUS_ON_NODE", "$GP_GPUS_PER_NODE"}, {"SLURM_GPUS_PER_NODE", "$GP_GPUS_PER_NODE"},
      {"SLURM_SUBMIT_DIR", "$PWD"},            {"SLURM_RESTART_COUNT", "$((GP_ATTEMPT - 1))"},
  };
  if (facts.tasks_per_node == 1) {
    values.insert({{"SLURM_PROCID", "$GP_NODE_RANK"}, {"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "$GP_NNODES"}, {"SLURM_NPROCS", "$GP_NNODES"}});
  }
  values["SLURM_NTASKS_PER_NODE"] = std::to_string(facts.tasks_per_node);
  if (!facts.cpus_per_task.empty()) values["SLURM_CPUS_PER_TASK"] = facts.cpus_per_task;
  if (const SlurmArray& array = facts.array; array.count > 0) {
    const auto at = [&](const std::string& index) { return "$((" + std::to_string(array.first) + " + " + std::to_string(array.step) + " * " + index + "))"; };
    values["SLURM_ARRAY_TASK_ID"] = array.first == 0 && array.step == 1 ? "$GP_ARRAY_INDEX" : at("GP_ARRAY_INDEX");
    values["SLURM_ARRAY_JOB_ID"] = "$GP_ARRAY_ID";
    values["SLURM_ARRAY_TASK_COUNT"] = "$GP_ARRAY_COUNT";
    values["SLURM_ARRAY_TASK_MIN"] = std::to_string(array.first);
    values["SLURM_ARRAY_TASK_MAX"] = std::to_string(array.first + array.step * (array.count - 1));
    values["SLURM_ARRAY_TASK_STEP"] = std::to_string(array.step);
  }
  return values;
}

}  // namespace

std::vector<std::string> SlurmVariables(const std::vector<ScriptLine>& body, const ScriptFacts& facts, std::vector<ImportNote>& notes) {
  const std::map<std::string, std::string> values = Counterparts(facts);
  std::map<std::string, int> read;  // and on which line first
  for (const auto& [number, text] : body) {
    if (IsCommentLine(text)) continue;
    for (const std::string& name : NamesIn(text)) {
      if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) read.try_emplace(name, number);
    }
    for (const std::string& program : ProgramsIn(text)) {
      if (const auto note = ProgramNote(program)) notes.push_back({number, program, *note});
    }
  }
  std::vector<std::string> exports;
  for (const auto& [name, number] : read) {
    const auto value = values.find(name);
    if (value == values.end()) {
      notes.push_back({number, Printable(name, 60), "is not set here: env gives a variable, or see the job's own (docs/how-to/run_many_nodes.md)"});
    } else if (!facts.is_shell) {
      notes.push_back({number, name, "is not set here: this is " + value->second});
    }
  }
  // Programs find out by themselves which of an array they are.
  for (const auto& [name, value] : values) {
    if (facts.is_shell && (read.contains(name) || name.starts_with(kOfArray))) exports.push_back("export " + name + "=\"" + value + "\"");
  }
  return exports;
}

}  // namespace gp
