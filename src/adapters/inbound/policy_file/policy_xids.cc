#include "adapters/inbound/policy_file/policy_xids.h"

#include "base/text.h"
#include "domain/faults/xid_words.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

// The XID of the key; 0: the key is not an XID, and the report says so.
int ReadXid(const YamlEntry& entry, Report& report) {
  YamlNode key;
  key.kind = YamlNode::Kind::kPlain;
  key.place = entry.place;
  key.text = entry.key;
  const auto number = ReadCount(key, 1, kXidMax);
  if (number) return static_cast<int>(*number);
  report.Add(entry.place, number.error().code,
             "xids: a number from 1 to " + std::to_string(kXidMax) + ": " + number.error().message);
  return 0;
}

// False: something is wrong, and the report says so.
bool ReadWords(const std::string& path, const YamlNode& map, XidWords& words, Report& report) {
  if (map.kind != YamlNode::Kind::kMap || map.entries.empty()) {
    report.Add(map.place, FileCode::kWrongType, path + ": a map such as {job: note, gpu: count}");
    return false;
  }
  const size_t problems = report.size();
  for (const YamlEntry& entry : map.entries) {
    std::string* word = entry.key == "job" ? &words.job : entry.key == "gpu" ? &words.gpu : nullptr;
    if (word == nullptr) {
      report.Add(entry.place, FileCode::kUnknownKey,
                 path + ": there is no \"" + Printable(entry.key, 60) + "\"; there are job, gpu");
      continue;
    }
    const auto text = ReadText(entry.value);
    if (!text) {
      report.Add(entry.value.place, text.error().code,
                 path + "." + entry.key + ": " + text.error().message);
      continue;
    }
    // Checks each word separately, so that the report has the place of the wrong one.
    const bool is_job = word == &words.job;
    const auto known = is_job ? XidRuleFrom(*text, *text == "text" ? "text" : "none")
                              : XidRuleFrom(*text == "text" ? "text" : "none", *text);
    if (!known)
      report.Add(entry.value.place, FileCode::kBadWord, path + "." + known.error().message);
    *word = *text;
  }
  return report.size() == problems;
}

}  // namespace

std::map<int, XidRule> ReadXidRules(const YamlNode& map, const std::map<int, XidRule>& catalogue,
                                    Report& report) {
  std::map<int, XidRule> rules;
  if (map.kind != YamlNode::Kind::kMap) {
    report.Add(map.place, FileCode::kWrongType,
               "xids: a map such as \"109: {job: note, gpu: count}\"");
    return rules;
  }
  for (const YamlEntry& entry : map.entries) {
    const int xid = ReadXid(entry, report);
    if (xid == 0) continue;
    const std::string path = "xids." + std::to_string(xid);
    const auto known = catalogue.find(xid);
    XidWords words = WordsOf(known == catalogue.end() ? kUnknownXid : known->second);
    if (!ReadWords(path, entry.value, words, report)) continue;
    const auto rule = XidRuleFrom(words.job, words.gpu);
    if (!rule) {
      report.Add(entry.value.place, FileCode::kContradiction, path + ": " + rule.error().message);
      continue;
    }
    rules[xid] = *rule;
  }
  return rules;
}

}  // namespace gp
