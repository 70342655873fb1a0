#pragma once

// The options of srun, and what an import does with each.

#include <string_view>

namespace gp {

// What an import does with an option of srun.
enum class SrunOptionUse {
  kCounts,   // read: the number of tasks, of nodes, or of GPUs of a task
  kGpus,     // the GPUs of the step; here a step has all GPUs of the job
  kNothing,  // dropped: it has no effect here
  kNoted,    // dropped, with a note
};

struct SrunOption {
  std::string_view name;
  char letter;
  char takes;  // '=': a value; '?': only after "="; 0: none
  SrunOptionUse use;
};

// nullptr: srun has no such option.
const SrunOption* SrunOptionByName(std::string_view name);
const SrunOption* SrunOptionByLetter(char letter);

}  // namespace gp
