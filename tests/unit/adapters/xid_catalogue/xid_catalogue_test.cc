#include "adapters/inbound/xid_catalogue/xid_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "domain/faults/xid_words.h"

namespace gp {
namespace {

constexpr std::string_view kColumnNames =
    "xid,mnemonic,status,products,severity,nvidia_action,announced_by_154,job,gpu,meaning\n";

std::string Row(const std::string& xid, const std::string& job, const std::string& gpu,
                const std::string& announced = "no") {
  return xid + ",NAME,active,h100,error,RESET_GPU," + announced + "," + job + "," + gpu +
         ",what it means\n";
}

std::string Refusal(const std::string& rows) {
  const auto decoded = DecodeXidCatalogue(std::string(kColumnNames) + rows);
  return decoded ? "taken" : decoded.error().message;
}

TEST(XidCatalogue, Has176CodesInOrder) {
  const std::vector<XidFacts>& catalogue = XidCatalogue();
  ASSERT_EQ(catalogue.size(), 176u);
  for (size_t i = 0; i < catalogue.size(); ++i)
    EXPECT_EQ(catalogue[i].xid, static_cast<int>(i) + 1);
}

TEST(XidCatalogue, EveryCellSaysSomethingThatIsKnown) {
  const std::set<std::string> states = {"active", "unused", "header-only"};
  const std::set<std::string> severities = {"info", "warning", "error", "critical", "by-text"};
  for (const XidFacts& facts : XidCatalogue()) {
    EXPECT_TRUE(states.contains(facts.status)) << facts.xid << ": " << facts.status;
    EXPECT_TRUE(severities.contains(facts.severity)) << facts.xid << ": " << facts.severity;
    EXPECT_FALSE(facts.mnemonic.empty()) << facts.xid;
    EXPECT_FALSE(facts.meaning.empty()) << facts.xid;
  }
  const auto count = [](const char* status) {
    return std::ranges::count(XidCatalogue(), status, &XidFacts::status);
  };
  EXPECT_EQ(count("active"), 111);
  EXPECT_EQ(count("unused"), 61);
  EXPECT_EQ(count("header-only"), 4);
}

TEST(XidCatalogue, TheWordsOfEveryRowMeanItsRule) {
  for (const XidFacts& facts : XidCatalogue()) {
    const auto rule = XidRuleFrom(facts.job, facts.gpu);
    ASSERT_TRUE(rule) << facts.xid << ": " << rule.error().message;
    EXPECT_EQ(*rule, facts.rule) << facts.xid;
    EXPECT_EQ(WordsOf(facts.rule).job, facts.job) << facts.xid;
    EXPECT_EQ(WordsOf(facts.rule).gpu, facts.gpu) << facts.xid;
    EXPECT_EQ(FindXid(facts.xid), &facts) << facts.xid;
    EXPECT_EQ(facts.job == "text", facts.gpu == "text")
        << facts.xid << ": the text tells of both or of neither";
    EXPECT_EQ(XidRules().at(facts.xid), facts.rule) << facts.xid;
  }
  EXPECT_EQ(XidRules().size(), XidCatalogue().size());
  EXPECT_EQ(FindXid(0), nullptr);
  EXPECT_EQ(FindXid(177), nullptr);
}

TEST(XidCatalogue, ReadsARowCellByCell) {
  const auto decoded = DecodeXidCatalogue(
      std::string(kColumnNames) + Row("48", "all", "reset", "yes") + Row("999", "note", "count"));
  ASSERT_TRUE(decoded) << decoded.error().message;
  ASSERT_EQ(decoded->size(), 2u);
  const XidFacts& first = decoded->front();
  EXPECT_EQ(first.xid, 48);
  EXPECT_EQ(first.mnemonic, "NAME");
  EXPECT_EQ(first.products, "h100");
  EXPECT_EQ(first.nvidia_action, "RESET_GPU");
  EXPECT_TRUE(first.announced_by_154);
  EXPECT_EQ(first.meaning, "what it means");
  EXPECT_FALSE(decoded->back().announced_by_154);
}

TEST(XidCatalogue, RefusesABadRowWithItsLineAndTheReason) {
  const std::pair<std::string, std::string> bad[] = {
      {"1,NAME,active\n", "XID catalogue, line 2: has 3 columns, not 10"},
      {"1,NAME,active,h100,error,RESET_GPU,no,all,reset,one, two\n",
       "XID catalogue, line 2: has 11 columns, not 10"},
      {Row("1", "all", "reset") + "\n" + Row("2", "all", "reset"),
       "XID catalogue, line 3: has 1 columns, not 10"},
      {Row("x", "all", "reset"), "XID catalogue, line 2: column xid: a number above 0"},
      {Row("4x", "all", "reset"), "XID catalogue, line 2: column xid: a number above 0"},
      {Row("", "all", "reset"), "XID catalogue, line 2: column xid: a number above 0"},
      {Row("0", "all", "reset"), "XID catalogue, line 2: column xid: a number above 0"},
      {Row("-5", "all", "reset"), "XID catalogue, line 2: column xid: a number above 0"},
      {Row("99999999999", "all", "reset"), "XID catalogue, line 2: column xid: a number above 0"},
      {Row("1", "everybody", "reset"),
       "XID catalogue, line 2: job: \"everybody\"; there are none, note, forgive, named, linked, "
       "all, text"},
      {Row("1", "", "reset"), "XID catalogue, line 2: job: \"\"; there are "},
      {Row("1", "all", "explode"),
       "XID catalogue, line 2: gpu: \"explode\"; there are none, count, watch, reset-when-idle, "
       "reset, operator, operator-if-repeated, reboot, text"},
      {Row("1", "all", "reset", "maybe"),
       "XID catalogue, line 2: column announced_by_154: \"maybe\"; there are no, yes"},
      {Row("1", "text", "reset"), "XID catalogue, line 2: job and gpu: both are text, or neither"},
      {Row("1", "all", "text"), "XID catalogue, line 2: job and gpu: both are text, or neither"},
      {Row("2", "all", "reset") + Row("2", "all", "reset"),
       "XID catalogue, line 3: rows must be in order of XID, each once"},
      {Row("2", "all", "reset") + Row("1", "all", "reset"),
       "XID catalogue, line 3: rows must be in order of XID, each once"},
  };
  for (const auto& [rows, reason] : bad)
    EXPECT_TRUE(Refusal(rows).starts_with(reason)) << Refusal(rows) << "\ninstead of\n" << reason;
}

TEST(XidCatalogue, RefusesOtherColumnsAndNoColumns) {
  const auto other = DecodeXidCatalogue("xid,meaning\n1,bad\n");
  ASSERT_FALSE(other);
  EXPECT_TRUE(
      other.error().message.starts_with("XID catalogue, line 1: the columns are xid,mnemonic,"))
      << other.error().message;
  const auto empty = DecodeXidCatalogue("");
  ASSERT_FALSE(empty);
  EXPECT_TRUE(empty.error().message.starts_with("XID catalogue, line 1: the columns are "))
      << empty.error().message;
}

}  // namespace
}  // namespace gp
