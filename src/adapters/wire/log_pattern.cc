#include "adapters/wire/log_pattern.h"

#include <re2/re2.h>

#include "base/text.h"

namespace gp {

Status CheckLogPattern(const std::string& pattern) {
  const RE2 checked(pattern, RE2::Quiet);
  if (checked.ok()) return Ok();
  return Fail(InvalidArgument("on_log: \"" + Printable(pattern, 60) +
                              "\" is not a regular expression (RE2): " + checked.error()));
}

}  // namespace gp
