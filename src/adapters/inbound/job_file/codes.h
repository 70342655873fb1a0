#pragma once

// The error codes of job files.  The meaning of a code never changes and its number is never
// reused. docs/reference/error_codes.md is generated from this table.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gp {

enum class JobFileCode {
  kNotText = 1001,
  kNotYaml = 1002,
  kTooLarge = 1003,
  kYamlFeature = 1004,
  kNoJob = 1005,
  kDuplicateKey = 1006,
  kUnknownKey = 1007,
  kMissingKey = 1008,
  kWrongType = 1009,
  kBadNumber = 1010,
  kOutOfRange = 1011,
  kBadWord = 1012,
  kBadUnit = 1013,
  kBadText = 1014,
  kNoValue = 1015,
  kNotSupportedYet = 1016,
  kVariableNotGiven = 1017,
  kContradiction = 1018,
  kBadScriptHeader = 1019,
  kBadOverride = 1020,
};

struct CodeEntry {
  JobFileCode code;
  std::string_view meaning;
  std::string_view fix;
};

std::span<const CodeEntry> JobFileCodes();

// "GP1007".
std::string CodeText(JobFileCode code);

// The entry of "GP1007" or "gp1007".
std::optional<CodeEntry> FindCode(std::string_view text);

}  // namespace gp
