#pragma once

// --set path=value and --env NAME=value: changes to the tree of a job file before it is decoded, so
// that a value of the command line is checked exactly as one in the file.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "lib/yaml/diagnostic.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

struct Override {
  std::vector<std::string> path;  // keys from the top
  Place place;                    // where the path is
  YamlNode value;
};

// Owns the texts that places refer to: its elements never move.
using SourceTexts = std::deque<SourceText>;

std::vector<Override> ReadOverrides(
    const std::vector<std::pair<std::string, std::string>>& settings, SourceTexts& sources,
    Report& report);

std::vector<Override> ReadVariables(
    const std::vector<std::pair<std::string, std::string>>& variables, SourceTexts& sources,
    Report& report);

// Adds or replaces the value; missing maps on its path are created.
void ApplyOverride(const Override& change, YamlNode& document, Report& report);

}  // namespace gp
