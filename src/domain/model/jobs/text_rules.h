#pragma once

// Which texts from outside are legal. Each rule returns what is wrong and how to fix it, or nothing
// if the text is legal. Names are plain ASCII: they appear in paths, tables and labels.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// Jobs, projects and pools.
std::optional<std::string> NameFault(std::string_view text);
// Paths of names: "research/nlp".
std::optional<std::string> QueueFault(std::string_view text);
// Keys of labels; a prefix with a slash is allowed: "team.example.org/cost".
std::optional<std::string> LabelNameFault(std::string_view text);
std::optional<std::string> LabelValueFault(std::string_view text);
// Names of environment variables, except those that the platform sets.
std::optional<std::string> VariableNameFault(std::string_view text);
// Variables that the platform sets: a job cannot pretend to hold other GPUs.
bool IsReservedVariable(std::string_view name);
// One string passed to execve: an argument, a script or NAME=value.
std::optional<std::string> ArgumentFault(std::string_view text);
// Absolute, without "..": a path must mean the same wherever it is read.
std::optional<std::string> PathFault(std::string_view text);
std::optional<std::string> GpuModelFault(std::string_view text);

}  // namespace gp
