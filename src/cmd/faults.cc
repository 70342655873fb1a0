// The rules and numbers by which faults of GPUs are judged.  Needs no controller.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "cmd/cli.h"
#include "cmd/xid_text.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

Policy BuiltIn() {
  Policy policy;
  policy.faults.xids = XidRules();
  return policy;
}

// As a controller begins that is given the file; empty: none.
Result<Policy> PolicyWith(const std::string& file) {
  Policy policy = BuiltIn();
  if (!file.empty()) GP_TRY(ReadPolicyFile(file))(policy);
  return policy;
}

// What the number's rule is without the file.
const XidRule& BuiltInRule(int xid) {
  const XidFacts* facts = FindXid(xid);
  return facts == nullptr ? kUnknownXid : facts->rule;
}

std::string Told(const XidRule& rule) {
  const XidWords words = WordsOf(rule);
  return words.job + "/" + words.gpu;
}

Json DocumentOf(const Policy& policy) {
  Json document{{"numbers", Json::object()}, {"xids", Json::array()}};
  for (const PolicyValue& number : FaultNumbers(policy)) document["numbers"][number.name] = number.value;
  for (const auto& [xid, rule] : policy.faults.xids) {
    const XidWords words = WordsOf(rule);
    document["xids"].push_back({{"xid", xid}, {"job", words.job}, {"gpu", words.gpu}, {"changed", rule != BuiltInRule(xid)}});
  }
  return document;
}

void PrintPolicy(const Policy& policy, Cli& cli) {
  Table numbers({{"NAME"}, {"VALUE", true}, {"BUILT IN", true}});
  const std::vector<PolicyValue> built_in = FaultNumbers(BuiltIn());
  const std::vector<PolicyValue> values = FaultNumbers(policy);
  for (size_t i = 0; i < values.size(); ++i) numbers.Add({values[i].name, values[i].value, built_in[i].value});
  cli.PrintTable(numbers);
  std::printf("\n");
  Table rules({{"XID", true}, {"JOB"}, {"GPU"}, {"BUILT IN"}, {"MEANING", false, false, true}});
  for (const auto& [xid, rule] : policy.faults.xids) {
    const XidWords words = WordsOf(rule);
    const XidFacts* facts = FindXid(xid);
    rules.Add({std::to_string(xid), words.job, words.gpu, rule == BuiltInRule(xid) ? "" : Told(BuiltInRule(xid)), facts == nullptr ? kUnknown : facts->meaning});
  }
  cli.PrintTable(rules);
}

void ShowPolicy(const std::string& file, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  if (cli.PrintDocument(DocumentOf(*policy))) return;
  PrintPolicy(*policy, cli);
}

// A site may do less than the catalogue; it should not do so unawares.
void CheckPolicy(const std::string& file, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  Json milder = Json::array();
  for (const auto& [xid, rule] : policy->faults.xids) {
    if (IsMilder(rule, BuiltInRule(xid))) milder.push_back({{"xid", xid}, {"built_in", Told(BuiltInRule(xid))}, {"now", Told(rule)}});
  }
  if (cli.PrintDocument(Json{{"file", file}, {"sound", true}, {"milder", milder}})) return;
  std::printf("%s: sound\n", file.c_str());
  for (const Json& one : milder) {
    cli.Say(fmt::format("XID {}: {} is milder than {}, which is built in", one["xid"].get<int>(), one["now"].get<std::string>(), one["built_in"].get<std::string>()));
  }
}

}  // namespace

void AddFaults(CLI::App& app, Cli& cli) {
  CLI::App* faults = app.add_subcommand("faults", "Faults of GPUs: policy");
  faults->require_subcommand(1);
  CLI::App* policy = faults->add_subcommand("policy", "The rules and numbers by which faults are judged: show, check");
  policy->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  CLI::App* show = policy->add_subcommand("show", "What is in force with a policy file, or without one");
  show->add_option("--policy", *file, "As serve takes it (docs/reference/policies.md)")->type_name("FILE");
  show->callback([file, &cli] { ShowPolicy(*file, cli); });
  CLI::App* check = policy->add_subcommand("check", "Whether a policy file is sound; tells which XIDs it takes less seriously");
  check->add_option("--policy", *file, "The file")->type_name("FILE")->required();
  check->callback([file, &cli] { CheckPolicy(*file, cli); });
}

}  // namespace gp
