#pragma once

// Scalars, read as strictly as files that people write require.  YAML readers disagree about 010,
// no, 1e3 and 0x10, so all of these are refused: a number is decimal digits, a boolean is true or
// false.

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "lib/yaml/file_code.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

struct Fault {
  FileCode code;
  std::string message;
};

template <typename T>
using Read = std::expected<T, Fault>;

// A regular expression of the durations that ReadDuration reads.
inline constexpr std::string_view kDurationPattern =
    "((0|[1-9][0-9]*)(\\.[0-9]{1,3})?(ms|s|m|h|d))+";

// The span as ReadDuration reads it, exactly; microseconds are the smallest part.
std::string DurationText(Duration span);

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
// A number from low to high, or a word for one, which `parse` knows.  `wanted` describes both, for
// messages.
Read<int64_t> ReadCountOrWord(const YamlNode& node, int64_t low, int64_t high,
                              std::string_view wanted, Result<int> (*parse)(std::string_view));

}  // namespace gp
