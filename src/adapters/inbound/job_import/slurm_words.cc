#include "adapters/inbound/job_import/slurm_words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kPrefix = "SLURM_";

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

// The first words of the line's commands, as far as can be told without a shell.
std::vector<std::string> CommandsIn(const std::string& line) {
  std::vector<std::string> commands;
  bool expects_command = true;
  for (size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == ' ' || c == '\t') {
      ++i;
    } else if (c == ';' || c == '&' || c == '|' || c == '(' || c == '`' || c == '{') {
      expects_command = true;
      ++i;
    } else {
      size_t end = line.find_first_of(" \t;&|()`", i);
      end = std::min(end, line.size());
      const std::string word = line.substr(i, std::max<size_t>(end - i, 1));
      constexpr std::string_view kBefore[] = {"if", "then", "else", "do", "while", "until", "time", "exec", "!"};
      const bool goes_on = std::ranges::find(kBefore, word) != std::end(kBefore) || word.find('=') != std::string::npos;
      if (expects_command && !goes_on) commands.push_back(word);
      expects_command = expects_command && goes_on;
      i += word.size();
    }
  }
  return commands;
}

std::optional<std::string> CommandNote(const std::string& command) {
  if (command == "srun") return "each node runs the whole script: take srun away; programs on several nodes find each other by GP_MASTER_ADDR, GP_NNODES and GP_NODE_RANK";
  if (command == "mpirun" || command == "mpiexec") return "each node runs the whole script: let only the node with GP_NODE_RANK 0 do this, with the hosts of GP_NODE_LIST";
  constexpr std::string_view kSlurm[] = {"sbatch", "salloc", "sbcast", "scontrol", "squeue", "sinfo", "sacct", "scancel", "sstat", "sattach"};
  if (std::ranges::find(kSlurm, command) != std::end(kSlurm)) return "a command of Slurm's: gpu-platform jobs --help";
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
  std::set<std::string> seen;
  std::vector<std::string> exports;
  for (const auto& [number, text] : body) {
    if (IsCommentLine(text)) continue;
    for (const std::string& name : NamesIn(text)) {
      if (!name.starts_with(kPrefix) || !seen.insert(name).second) continue;
      const auto value = values.find(name);
      if (value == values.end()) {
        notes.push_back({number, name, "is not set here: env gives a variable, or see the job's own (docs/how-to/run_many_nodes.md)"});
      } else if (facts.is_shell) {
        exports.push_back("export " + name + "=\"" + value->second + "\"");
      } else {
        notes.push_back({number, name, "is not set here: this is " + value->second});
      }
    }
    for (const std::string& command : CommandsIn(text)) {
      if (const auto note = CommandNote(command)) notes.push_back({number, Printable(command, 40), *note});
    }
  }
  return exports;
}

}  // namespace gp
