#pragma once

// Scalars as strictly as a job file takes them.  YAML readers disagree about what 010, no, 1e3 and
// 0x10 mean, so none of them means anything here: a number is digits, a yes is true.

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

// "a list", "a map", "the text \"x\"" …: for messages that say what stands in place of a value.
std::string Describe(const YamlNode& node);

// Text that is not meant as a number or a truth value.
Read<std::string> ReadText(const YamlNode& node);
// Any scalar, as it was written: for values that are text whatever they look like.
Read<std::string> ReadVerbatim(const YamlNode& node);
Read<int64_t> ReadCount(const YamlNode& node, int64_t low, int64_t high);
Read<int64_t> ReadBool(const YamlNode& node);
// The position of the word.
Read<int64_t> ReadWord(const YamlNode& node, std::span<const std::string_view> words);
Read<int64_t> ReadSize(const YamlNode& node, int64_t low, int64_t high);
Read<int64_t> ReadDuration(const YamlNode& node, int64_t low, int64_t high);
Read<int64_t> ReadPriority(const YamlNode& node);
Read<int64_t> ReadShare(const YamlNode& node);

}  // namespace gp
