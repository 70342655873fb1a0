#include "adapters/inbound/xid_catalogue/xid_catalogue.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "base/text.h"
#include "domain/faults/xid_words.h"

namespace gp {
namespace {

constexpr std::string_view kHeader =
    "xid,mnemonic,status,products,severity,nvidia_action,announced_by_154,job,gpu,meaning";
constexpr size_t kColumns = 10;

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

Result<XidFacts> RowFrom(std::string_view line) {
  const std::vector<std::string_view> cells = Split(line);
  if (cells.size() != kColumns)
    return Fail(InvalidArgument("has " + std::to_string(cells.size()) + " columns, not " +
                                std::to_string(kColumns)));
  XidFacts facts;
  const auto [end, error] =
      std::from_chars(cells[0].data(), cells[0].data() + cells[0].size(), facts.xid);
  if (error != std::errc() || end != cells[0].data() + cells[0].size() || facts.xid <= 0)
    return Fail(InvalidArgument("column xid: a number above 0"));
  facts.mnemonic = cells[1];
  facts.status = cells[2];
  facts.products = cells[3];
  facts.severity = cells[4];
  facts.nvidia_action = cells[5];
  if (cells[6] != "yes" && cells[6] != "no")
    return Fail(InvalidArgument("column announced_by_154: \"" + Printable(cells[6], 40) +
                                "\"; there are no, yes"));
  facts.announced_by_154 = cells[6] == "yes";
  facts.job = cells[7];
  facts.gpu = cells[8];
  facts.meaning = cells[9];
  facts.rule = GP_TRY(XidRuleFrom(facts.job, facts.gpu));
  return facts;
}

}  // namespace

Result<std::vector<XidFacts>> DecodeXidCatalogue(std::string_view csv) {
  std::vector<XidFacts> rows;
  for (int number = 1; number == 1 || !csv.empty(); ++number) {
    const size_t end = csv.find('\n');
    const std::string_view line = csv.substr(0, end);
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    const auto wrong = [&](const std::string& what) {
      return Fail(InvalidArgument("XID catalogue, line " + std::to_string(number) + ": " + what));
    };
    if (number == 1) {
      if (line != kHeader) return wrong("the columns are " + std::string(kHeader));
      continue;
    }
    auto row = RowFrom(line);
    if (!row) return wrong(row.error().message);
    if (!rows.empty() && row->xid <= rows.back().xid)
      return wrong("rows must be in order of XID, each once");
    rows.push_back(*std::move(row));
  }
  return rows;
}

const std::vector<XidFacts>& XidCatalogue() {
  static const std::vector<XidFacts> catalogue = [] {
    auto decoded = DecodeXidCatalogue(kXidCatalogueText);
    GP_ASSERT(decoded.has_value(), "the built-in catalogue is valid");
    return *std::move(decoded);
  }();
  return catalogue;
}

const XidFacts* FindXid(int xid) {
  const auto found = std::ranges::lower_bound(XidCatalogue(), xid, {}, &XidFacts::xid);
  return found == XidCatalogue().end() || found->xid != xid ? nullptr : &*found;
}

std::map<int, XidRule> XidRules() {
  std::map<int, XidRule> rules;
  for (const XidFacts& facts : XidCatalogue()) rules[facts.xid] = facts.rule;
  return rules;
}

}  // namespace gp
