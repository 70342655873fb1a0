#include "adapters/inbound/scenario_file/key_table.h"
#include "adapters/inbound/scenario_file/parts.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

constexpr size_t kGroupsMax = 10'000;

void CheckLabels(const YamlNode& group, const std::map<std::string, std::string>& labels,
                 Report& report) {
  for (const auto& [name, value] : labels) {
    const YamlEntry& written = *group.Find("labels")->value.Find(name);
    if (const auto fault = LabelNameFault(name))
      report.Add(written.place, FileCode::kBadText, "labels: " + *fault);
    if (const auto fault = LabelValueFault(value))
      report.Add(written.value.place, FileCode::kBadText, "labels: " + *fault);
  }
}

void CheckName(const YamlNode& group, std::string_view key, const std::string& name,
               Report& report) {
  const YamlEntry* written = group.Find(key);
  if (written == nullptr || !written->value.IsScalar()) return;
  if (const auto fault = NameFault(name))
    report.Add(written->value.place, FileCode::kBadText, std::string(key) + ": " + *fault);
}

NodeGroup ReadGroup(const YamlNode& item, const ScenarioDraft& draft) {
  NodeGroup group;
  KeyTable("a group of nodes", draft.report)
      .Add("machine",
           [&](const YamlNode& value) {
             const auto name = ReadText(value);
             const auto facts =
                 name ? draft.sources.machine(*name) : Fail(InvalidArgument(name.error().message));
             if (facts)
               group.facts = *facts;
             else
               draft.report.Add(value.place, FileCode::kBadWord,
                                "machine: " + facts.error().message);
           })
      .Required()
      .Count("count", 1, kScenarioNodesMax, group.count)
      .Text("name", group.name)
      .OptionalText("pool", group.pool)
      .Labels("labels", group.labels)
      .ReadFrom(item);
  CheckName(item, "name", group.name, draft.report);
  CheckName(item, "pool", group.pool.value_or(kDefaultPool), draft.report);
  if (item.kind == YamlNode::Kind::kMap) CheckLabels(item, group.labels, draft.report);
  return group;
}

}  // namespace

void ReadNodes(const YamlNode& list, ScenarioDraft& draft) {
  int64_t nodes = 0;
  ReadItems(list, "nodes", kGroupsMax, draft.report, [&](const YamlNode& item) {
    draft.scenario.nodes.push_back(ReadGroup(item, draft));
    nodes += draft.scenario.nodes.back().count;
  });
  if (nodes > kScenarioNodesMax) {
    draft.report.Add(list.place, FileCode::kTooLarge,
                     "nodes: at most " + std::to_string(kScenarioNodesMax) + " together, not " +
                         std::to_string(nodes));
  }
}

}  // namespace gp
