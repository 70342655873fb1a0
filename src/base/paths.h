#pragma once

// Absolute paths, compared as text: the file system is not read.

#include <string>
#include <string_view>
#include <vector>

namespace gp {

// The components of a path: "/a//b/" has "a" and "b".  They point into the path.
std::vector<std::string_view> PathWords(std::string_view path);

// The components that lead from the directory to the path; empty if the path is not below the
// directory, or contains "..".
std::vector<std::string_view> WordsBelow(std::string_view directory, std::string_view path);

// Whether the path is the directory or below it; false if it contains "..".
bool IsAtOrBelow(std::string_view directory, std::string_view path);

// Without empty words and ".", which say nothing: "/a//./b/" is "/a/b".
std::string PlainPath(std::string_view path);

// Whether the path is /tmp or below it.
bool IsInTmp(std::string_view path);

// Whether the paths are equal or one is below the other; true also if one contains "..".
bool PathsOverlap(std::string_view a, std::string_view b);

}  // namespace gp
