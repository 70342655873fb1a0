#pragma once

// The two words of a rule for an XID, in the catalogue (data/xid/README.md), in policy files and in
// output: what follows for the jobs, and for the GPU.

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/faults/xid.h"

namespace gp {

struct XidWords {
  std::string job;
  std::string gpu;
};

// The rule for two words.  kInvalidArgument: a word is unknown, or only one of them is "text".
Result<XidRule> XidRuleFrom(std::string_view job, std::string_view gpu);

XidWords WordsOf(const XidRule& rule);

}  // namespace gp
