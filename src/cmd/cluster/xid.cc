// The catalogue of XIDs, and what this platform does about them. Needs no controller.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/policy_file/policy_xids.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/text/xid_text.h"
#include "domain/faults/xid_words.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

Json DocumentOf(const XidFacts& facts) {
  Json document{{"xid", facts.xid},          {"known", true},          {"mnemonic", facts.mnemonic},
                {"meaning", facts.meaning},  {"status", facts.status}, {"products", Json::array()},
                {"severity", facts.severity}};
  std::string products = ProductsText(facts.products);
  for (size_t comma = 0; !products.empty();
       products.erase(0, comma == std::string::npos ? comma : comma + 2)) {
    comma = products.find(", ");
    document["products"].push_back(products.substr(0, comma));
  }
  if (!facts.nvidia_action.empty()) document["nvidia_action"] = facts.nvidia_action;
  document["announced_by_154"] = facts.announced_by_154;
  document["rule"] = {{"job", facts.job}, {"gpu", facts.gpu}};
  document["jobs"] = JobsText(facts.rule, facts.xid);
  document["gpu"] = GpuText(facts.rule, facts.xid);
  return document;
}

Json DocumentOfUnknown(int xid) {
  const XidWords words = WordsOf(kUnknownXid);
  return {{"xid", xid},
          {"known", false},
          {"rule", {{"job", words.job}, {"gpu", words.gpu}}},
          {"jobs", JobsText(kUnknownXid)},
          {"gpu", GpuText(kUnknownXid)}};
}

void PrintRule(const XidRule& rule, int xid) {
  std::printf("JOBS      %s\n", JobsText(rule, xid).c_str());
  std::printf("GPU       %s\n", GpuText(rule, xid).c_str());
}

void PrintFacts(const XidFacts& facts) {
  const auto line = [](const char* name, const std::string& value) {
    std::printf("%-9s %s\n", name, value.empty() ? kDash : value.c_str());
  };
  line(("XID " + std::to_string(facts.xid)).c_str(), facts.mnemonic);
  line("MEANING", facts.meaning);
  line("STATUS", facts.status);
  line("PRODUCTS", ProductsText(facts.products));
  line("SEVERITY", facts.severity);
  line("NVIDIA", facts.nvidia_action);
  line("XID 154", facts.announced_by_154 ? "announces it too, where the driver is new enough"
                                         : "does not announce it");
  PrintRule(facts.rule, facts.xid);
}

void ExplainXid(const std::string& text, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto xid = ParseCount(text);
  if (!xid || *xid < 1 || *xid > kXidMax) {
    const char* hint = xid && *xid > kXidMax ? "; those of NVSwitches, SXids, have no explanation "
                                               "here: NVIDIA's Fabric Manager guide lists them"
                                             : "";
    return cli.Complain(InvalidArgument(fmt::format("an XID is a number from 1 to {}, not \"{}\"{}",
                                                    kXidMax, Printable(text, 40), hint)));
  }
  const XidFacts* facts = FindXid(static_cast<int>(*xid));
  if (cli.PrintDocument(facts == nullptr ? DocumentOfUnknown(static_cast<int>(*xid))
                                         : DocumentOf(*facts)))
    return;
  if (facts != nullptr) return PrintFacts(*facts);
  std::printf("XID %lld is not in the catalogue: it is handled like any unknown XID\n",
              static_cast<long long>(*xid));
  PrintRule(kUnknownXid, static_cast<int>(*xid));
}

void ListXids(Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  if (cli.WantsDocument()) {
    Json document{{"xids", Json::array()}};
    for (const XidFacts& facts : XidCatalogue()) document["xids"].push_back(DocumentOf(facts));
    cli.PrintDocument(document);
    return;
  }
  Table table({{"XID", true},
               {"STATUS"},
               {"SEVERITY"},
               {"NVIDIA"},
               {"JOB"},
               {"GPU"},
               {.title = "MEANING", .cut = true}});
  for (const XidFacts& facts : XidCatalogue()) {
    table.Add({std::to_string(facts.xid), facts.status, facts.severity,
               facts.nvidia_action.empty() ? kDash : facts.nvidia_action, facts.job, facts.gpu,
               facts.meaning});
  }
  cli.PrintTable(table);
}

}  // namespace

void AddXid(CLI::App& app, Cli& cli) {
  CLI::App* xid = app.add_subcommand(
      "xid", "XIDs, the numbers by which NVIDIA's driver reports errors: explain, list");
  xid->require_subcommand(1);
  auto number = std::make_shared<std::string>();
  CLI::App* explain = xid->add_subcommand(
      "explain", "Explain an XID: its meaning, and its consequences for jobs and the GPU");
  explain->add_option("number", *number, "XID, such as 79")->required();
  explain->callback([number, &cli] { ExplainXid(*number, cli); });
  cli.AddListFlags(xid->add_subcommand("list", "List all known XIDs"))->callback([&cli] {
    ListXids(cli);
  });
}

}  // namespace gp
