#pragma once

// A step of a script for Slurm: the command "srun OPTIONS PROGRAM".

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/inbound/job_import/slurm/shell_script.h"

namespace gp {

// The options of a step, and where its program begins.
struct SrunStep {
  std::map<std::string_view, std::string> counts;
  std::vector<std::string> noted;  // as written
  // Options that give it GPUs, as written, and their values.
  std::vector<std::pair<std::string, std::string>> gpus;
  size_t program = 0;  // index of the word
};

// "srun" of "/usr/bin/srun".
std::string ProgramOf(const ShellWord& word);

// The index of the word srun; nullopt: the command is not a step.
std::optional<size_t> FindSrun(const std::vector<ShellWord>& words);

// `srun`: the index of that word.  nullopt: an option is unknown, or there is no program.
std::optional<SrunStep> ReadSrunStep(const std::vector<ShellWord>& words, size_t srun);

// Whether the step asks for the rendezvous address of the ranks:
// srun -N1 -n1 -w "$head_node" hostname --ip-address.
bool AsksForTheHead(const std::vector<ShellWord>& words, const SrunStep& step);

}  // namespace gp
