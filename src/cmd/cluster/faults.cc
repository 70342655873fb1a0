// Rules and numbers for faults of GPUs. Needs no controller.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/serve/policy_with.h"
#include "cmd/text/xid_text.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/faults/judge.h"
#include "domain/faults/xid_words.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kPlayedXidMax = 1'023;

// The rule of the XID without the file.
const XidRule& BuiltInRule(int xid) {
  const XidFacts* facts = FindXid(xid);
  return facts == nullptr ? kUnknownXid : facts->rule;
}

std::string RuleText(const XidRule& rule) {
  const XidWords words = WordsOf(rule);
  return words.job + "/" + words.gpu;
}

Json DocumentOf(const Policy& policy) {
  Json document{{"numbers", Json::object()}, {"health", Json::object()}, {"xids", Json::array()}};
  for (const auto& [code, action] : policy.faults.health)
    document["health"][Name(code)] = Name(action);
  for (const PolicyValue& number : FaultNumbers(policy))
    document["numbers"][number.name] = number.value;
  for (const auto& [xid, rule] : policy.faults.xids) {
    const XidWords words = WordsOf(rule);
    document["xids"].push_back({{"xid", xid},
                                {"job", words.job},
                                {"gpu", words.gpu},
                                {"changed", rule != BuiltInRule(xid)}});
  }
  return document;
}

void PrintPolicy(const Policy& policy, Cli& cli) {
  Table numbers({{"NAME"}, {"VALUE", true}, {"BUILT IN", true}});
  const std::vector<PolicyValue> built_in = FaultNumbers(BuiltInPolicy());
  const std::vector<PolicyValue> values = FaultNumbers(policy);
  for (size_t i = 0; i < values.size(); ++i)
    numbers.Add({values[i].name, values[i].value, built_in[i].value});
  cli.PrintTable(numbers);
  std::printf("\n");
  Table health({{"FINDING"}, {"ACTION"}, {"BUILT IN"}});
  for (const auto& [code, action] : policy.faults.health)
    health.Add({Name(code), Name(action), Name(DefaultHealthTable().at(code))});
  cli.PrintTable(health);
  std::printf("\n");
  Table rules({{"XID", true}, {"JOB"}, {"GPU"}, {"BUILT IN"}, {"MEANING", false, false, true}});
  for (const auto& [xid, rule] : policy.faults.xids) {
    const XidWords words = WordsOf(rule);
    const XidFacts* facts = FindXid(xid);
    rules.Add({std::to_string(xid), words.job, words.gpu,
               rule == BuiltInRule(xid) ? "" : RuleText(BuiltInRule(xid)),
               facts == nullptr ? kDash : facts->meaning});
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

struct PlayedXid {
  int xid = 0;
  Duration at;
};

// "63", at the moment of the one before it, or "63@3s" after the first.
Result<PlayedXid> PlayedFrom(const std::string& word, Duration before) {
  const size_t sign = word.find('@');
  const auto xid = ParseCount(word.substr(0, sign));
  if (!xid || *xid < 1 || *xid > kPlayedXidMax)
    return Fail(
        InvalidArgument("\"" + Printable(word, 40) + "\": write an XID, or XID@TIME as 63@3s"));
  Duration at = before;
  if (sign != std::string::npos) at = GP_TRY(ParseDuration(word.substr(sign + 1)));
  if (at < before)
    return Fail(InvalidArgument("\"" + Printable(word, 40) +
                                "\": comes before the one that is written before it"));
  return PlayedXid{static_cast<int>(*xid), at};
}

// What the rules decide for each report of one GPU, given the reports before it.
Result<Json> Play(const Policy& policy, const std::vector<std::string>& words) {
  GpuTrouble before;
  Duration last;
  Json verdicts = Json::array();
  for (const std::string& word : words) {
    const PlayedXid played = GP_TRY(PlayedFrom(word, last));
    const Instant at{played.at.ns};
    FaultSignal signal;
    signal.xid = played.xid;
    const FaultVerdict verdict =
        gp::Judge(policy.faults, signal, XidsNear(before, at, policy.faults.correlate),
                  IsRepeated(before, played.xid, at, policy.faults.correlate));
    const XidWords spoken = WordsOf({verdict.tenants, verdict.remedy, verdict.counts});
    verdicts.push_back({{"after_seconds", played.at.ns / 1'000'000'000},
                        {"xid", played.xid},
                        {"job", spoken.job},
                        {"gpu", spoken.gpu},
                        {"why", verdict.why}});
    before.xids.push_back({played.xid, at});
    last = played.at;
  }
  return verdicts;
}

void SimulatePolicy(const std::string& file, const std::vector<std::string>& words, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  const auto verdicts = Play(*policy, words);
  if (!verdicts) return cli.Complain(verdicts.error());
  if (cli.PrintDocument(Json{{"verdicts", *verdicts}})) return;
  Table table({{"AFTER", true}, {"XID", true}, {"JOB"}, {"GPU"}, {"WHY"}});
  for (const Json& one : *verdicts) {
    table.Add({std::to_string(one["after_seconds"].get<int64_t>()) + "s",
               std::to_string(one["xid"].get<int>()), one["job"].get<std::string>(),
               one["gpu"].get<std::string>(), one["why"].get<std::string>()});
  }
  cli.PrintTable(table);
}

}  // namespace

Json MilderRules(const Policy& policy) {
  Json milder = Json::array();
  for (const auto& [xid, rule] : policy.faults.xids) {
    if (IsMilder(rule, BuiltInRule(xid)))
      milder.push_back(
          {{"xid", xid}, {"built_in", RuleText(BuiltInRule(xid))}, {"now", RuleText(rule)}});
  }
  return milder;
}

void SayMilderRules(const Policy& policy, Cli& cli) {
  for (const Json& one : MilderRules(policy)) {
    cli.Say(fmt::format("XID {}: {} is milder than {}, which is built in", one["xid"].get<int>(),
                        one["now"].get<std::string>(), one["built_in"].get<std::string>()));
  }
}

void CheckPolicyFile(const std::string& file, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  const Json document = {{"file", file}, {"sound", true}, {"milder", MilderRules(*policy)}};
  if (cli.PrintDocument(document)) return;
  std::printf("%s: sound\n", file.c_str());
  SayMilderRules(*policy, cli);
}

void AddFaults(CLI::App& app, Cli& cli) {
  CLI::App* faults = app.add_subcommand("faults", "Rules for GPU faults: policy");
  faults->require_subcommand(1);
  CLI::App* policy = faults->add_subcommand(
      "policy", "Rules for GPU faults (XIDs, health findings): show, check, simulate");
  policy->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  CLI::App* show =
      policy->add_subcommand("show", "Show the rules in force with a policy file, or without one");
  show->add_option("--policy", *file, "Policy file of serve (docs/reference/policies.md)")
      ->type_name("FILE");
  show->callback([file, &cli] { ShowPolicy(*file, cli); });
  CLI::App* check = policy->add_subcommand(
      "check", "Validate a policy file; lists XIDs whose rules are milder than the built-in ones");
  check->add_option("--policy", *file, "Policy file")->type_name("FILE")->required();
  check->callback([file, &cli] { CheckPolicyFile(*file, cli); });
  CLI::App* simulate = policy->add_subcommand("simulate",
                                              "Show the consequences of successive XIDs of one "
                                              "GPU, for the GPU and the job that each names");
  auto xids = std::make_shared<std::vector<std::string>>();
  simulate->add_option("--policy", *file, "Policy file; default: the built-in policy")
      ->type_name("FILE");
  simulate->add_option("xid", *xids, "XIDs: 48 63, or with times after the first: 48 63@3s 48@20h")
      ->required();
  simulate->callback([file, xids, &cli] { SimulatePolicy(*file, *xids, cli); });
}

}  // namespace gp
