#pragma once

// The XID catalogue, data/xid/catalogue.csv, which is built into the program: facts about each XID
// and the rule for it.

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
  std::string products;  // "a100+h100": GPUs for which NVIDIA lists it; empty: none
  std::string severity;
  std::string nvidia_action;  // NVIDIA's action category; empty: none published
  bool announced_by_154 = false;
  std::string job;  // the word in the column
  std::string gpu;
  std::string meaning;
  XidRule rule;
};

extern const std::string_view kXidCatalogueText;

// kInvalidArgument names line and column of the first problem.
Result<std::vector<XidFacts>> DecodeXidCatalogue(std::string_view csv);

// The built-in catalogue, in order of XID.
const std::vector<XidFacts>& XidCatalogue();
// nullptr: the catalogue does not have it.
const XidFacts* FindXid(int xid);
std::map<int, XidRule> XidRules();

}  // namespace gp
