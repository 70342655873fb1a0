#pragma once

// Scalars, read as strictly as a job file requires.  YAML readers disagree about 010, no, 1e3 and
// 0x10, so all of these are refused: a number is decimal digits, a boolean is true or false.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/yaml_tree.h"

namespace gp {

struct Fault {
  JobFileCode code;
  std::string message;
};

template <typename T>
using Read = std::expected<T, Fault>;

// "a list", "a map", "the text \"x\"" …: for messages about a value of the wrong type.
std::string Describe(const YamlNode& node);

// Text that does not look like a number or a boolean, unless quoted.
Read<std::string> ReadText(const YamlNode& node);
// Any scalar, as it was written: for values that are always text.
Read<std::string> ReadVerbatim(const YamlNode& node);
Read<int64_t> ReadCount(const YamlNode& node, int64_t low, int64_t high);
Read<int64_t> ReadBool(const YamlNode& node);
// The position of the word in `words`.
Read<int64_t> ReadWord(const YamlNode& node, std::span<const std::string_view> words);
Read<int64_t> ReadSize(const YamlNode& node, int64_t low, int64_t high);
Read<int64_t> ReadDuration(const YamlNode& node, int64_t low, int64_t high);
Read<int64_t> ReadPriority(const YamlNode& node);
Read<int64_t> ReadShare(const YamlNode& node);

}  // namespace gp
