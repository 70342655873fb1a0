#pragma once

// Hints for options of sbatch for which a job file has no key.

#include <string_view>

namespace gp {

// What to do instead of the option.
std::string_view HintForOption(std::string_view name);

// Whether the option has no effect on what the job gets and does.
bool ChangesNothing(std::string_view name);

}  // namespace gp
