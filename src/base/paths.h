#pragma once

// Absolute paths, compared by their words alone: nothing is looked up.

#include <string_view>
#include <vector>

namespace gp {

// "/a//b/" has the words "a" and "b".  They point into the path.
std::vector<std::string_view> PathWords(std::string_view path);

// The words that lead from the directory to the path; empty: it does not lie below it, or nobody
// can tell ("..").
std::vector<std::string_view> WordsBelow(std::string_view directory, std::string_view path);

// Whether one is the other or lies in it; true where nobody can tell ("..").
bool PathsOverlap(std::string_view a, std::string_view b);

}  // namespace gp
