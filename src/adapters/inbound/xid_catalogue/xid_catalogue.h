#pragma once

// What is known of each XID, and the rules that follow: data/xid/catalogue.csv, which is built in.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/faults/xid.h"

namespace gp {

struct XidFacts {
  int xid = 0;
  std::string mnemonic;  // the driver's name for it
  std::string status;    // active, unused, header-only
  std::string products;  // "a100+h100": where NVIDIA lists it; empty: nowhere
  std::string severity;
  std::string nvidia_action;  // NVIDIA's bucket; empty: none printed
  bool announced_by_154 = false;
  std::string job;  // the column's words
  std::string gpu;
  std::string meaning;
  XidRule rule;
};

extern const std::string_view kXidCatalogueText;

// kInvalidArgument names line and column of what does not belong there.
Result<std::vector<XidFacts>> DecodeXidCatalogue(std::string_view csv);

// The one that is built in, by number.
const std::vector<XidFacts>& XidCatalogue();
// nullptr: it is not in there.
const XidFacts* FindXid(int xid);
std::map<int, XidRule> XidRules();

// The rule that two words of the columns `job` and `gpu` stand for.  kInvalidArgument.
Result<XidRule> XidRuleFrom(std::string_view job, std::string_view gpu);

// The words of a rule, as the columns have them.
struct XidWords {
  std::string job;
  std::string gpu;
};
XidWords WordsOf(const XidRule& rule);

}  // namespace gp
