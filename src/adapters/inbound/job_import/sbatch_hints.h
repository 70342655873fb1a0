#pragma once

// Options of sbatch's that a job file has no key for.

#include <string_view>

namespace gp {

// What to do in place of it.
std::string_view HintForOption(std::string_view name);

// Whether the job gets and does the same without it.
bool ChangesNothing(std::string_view name);

}  // namespace gp
