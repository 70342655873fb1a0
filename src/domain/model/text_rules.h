#pragma once

// Which texts from outside are legal.  Each rule answers what is wrong and how to mend it, or
// nothing where the text may pass.  Names are plain ASCII: they end in paths, tables and labels.

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
// Names of environment variables, less those that the platform sets itself.
std::optional<std::string> VariableNameFault(std::string_view text);
// Those that the platform sets itself: a job cannot pretend to hold other GPUs.
bool IsReservedVariable(std::string_view name);
// One string handed to execve: an argument, a script or NAME=value.
std::optional<std::string> ArgumentFault(std::string_view text);
// Absolute, without "..": what a path means must not depend on where it is read.
std::optional<std::string> PathFault(std::string_view text);
std::optional<std::string> GpuModelFault(std::string_view text);

}  // namespace gp
