#pragma once

// The codes of problems in files that people write.  The meaning of a code never changes and its
// number is never reused; formats have further codes of their own, with other numbers.

#include <string>

namespace gp {

enum class FileCode {
  kNotText = 1001,
  kNotYaml = 1002,
  kTooLarge = 1003,
  kYamlFeature = 1004,
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
  kContradiction = 1018,
};

// "GP1007".
std::string CodeText(FileCode code);

}  // namespace gp
