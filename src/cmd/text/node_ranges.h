#pragma once

#include <string>
#include <vector>

namespace gp {

// Places or names of nodes with equal ones folded as Slurm does: "n1[0-3]", "n2[0-3]" and "n4" as
// "n[1-2][0-3] n4".  Numbers keep their leading zeros.
std::string NodeRanges(const std::vector<std::string>& places);

}  // namespace gp
