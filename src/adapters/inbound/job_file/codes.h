#pragma once

// The error codes of job files, with their meanings.  docs/reference/error_codes.md is generated
// from this table.

#include <optional>
#include <span>
#include <string_view>

#include "lib/yaml/file_code.h"

namespace gp {

// The codes of problems that only a job file has.
struct JobFileCode {
  static constexpr FileCode kNoJob{1005};
  static constexpr FileCode kVariableNotGiven{1017};
  static constexpr FileCode kBadScriptHeader{1019};
  static constexpr FileCode kBadOverride{1020};
};

struct CodeEntry {
  FileCode code;
  std::string_view meaning;
  std::string_view fix;
};

// All codes that a job file may have, in order of their numbers.
std::span<const CodeEntry> JobFileCodes();

// The entry of "GP1007" or "gp1007".
std::optional<CodeEntry> FindCode(std::string_view text);

}  // namespace gp
