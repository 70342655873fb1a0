#pragma once

// The words of Slurm, kubectl and others, and what they are called here.

#include <string>
#include <string_view>
#include <vector>

namespace gp {

struct ForeignWord {
  std::string_view of;    // "Slurm", "kubectl"; empty: anybody might try it
  std::string_view path;  // the group in which it is tried: "" (the root), "nodes"
  std::string_view word;  // or several, as "get nodes"
  std::string_view here;
};

// The word of the group that the words begin with, the longest first; nullptr: none.
const ForeignWord* FindForeignWord(std::string_view path, const std::vector<std::string>& words);

// The flag here that Slurm's or kubectl's flags of that name mean, the likeliest first; empty:
// none.
std::vector<std::string_view> FlagsMeant(std::string_view flag);

}  // namespace gp
