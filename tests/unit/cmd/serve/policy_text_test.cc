#include "cmd/serve/policy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "cmd/serve/policy_with.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The policy that the text of a file makes of the built-in one.
Result<Policy> FromText(const std::string& text) {
  const auto change = DecodePolicy("policy.yaml", text, XidRules());
  if (!change) return Fail(change.error());
  Policy policy = BuiltInPolicy();
  (*change)(policy);
  return policy;
}

Policy With(const std::string& text) {
  const auto policy = FromText(text);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  return policy.value_or(Policy{});
}

// What is printed says the same as the policy: as a file it makes that policy.
void ExpectSameAsFile(const Policy& policy) {
  const std::string text = PolicyFileText("policy.yaml", policy);
  const auto again = FromText(text);
  ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << text;
  EXPECT_THAT(PolicyChanges(policy, *again), IsEmpty());
  EXPECT_EQ(again->placement, policy.placement);
  EXPECT_EQ(again->prices, policy.prices);
  EXPECT_EQ(again->under_use, policy.under_use);
  EXPECT_EQ(again->faults.xids, policy.faults.xids);
}

TEST(PolicyText, TheBuiltInPolicyIsAFileThatChangesNothing) {
  ExpectSameAsFile(BuiltInPolicy());
  EXPECT_THAT(PolicyFileText("", BuiltInPolicy()), HasSubstr("# The built-in policy."));
  EXPECT_THAT(PolicyFileText("", BuiltInPolicy()), Not(HasSubstr("built in:")));
}

TEST(PolicyText, EachNumberAtBothEndsOfItsRangeIsReadBack) {
  for (const auto& [number, built_in] : NumbersOf(BuiltInPolicy())) {
    for (const std::string& value : {number.least, number.most}) {
      const auto policy = FromText(number.name + ": " + value + "\n");
      if (!policy) continue;  // a limit that depends on another number
      ExpectSameAsFile(*policy);
      const std::vector<std::string> changes = PolicyChanges(BuiltInPolicy(), *policy);
      if (value == built_in) {
        EXPECT_THAT(changes, IsEmpty()) << number.name;
      } else {
        EXPECT_THAT(changes, ElementsAre(number.name + ": " + built_in + " -> " + value));
        EXPECT_THAT(PolicyFileText("f", *policy), HasSubstr("; built in: " + built_in + "\n" +
                                                            number.name + ": " + value + "\n"));
      }
    }
  }
}

TEST(PolicyText, EachNumberHasItsOwnNameAndAMeaning) {
  std::set<std::string> names;
  for (const auto& [number, built_in] : NumbersOf(BuiltInPolicy())) {
    EXPECT_TRUE(names.insert(number.name).second) << number.name;
    EXPECT_EQ(number.value, built_in);
    EXPECT_NE(number.meaning, "") << number.name;
    EXPECT_NE(number.least, "") << number.name;
    EXPECT_NE(number.most, "") << number.name;
  }
  EXPECT_GT(names.size(), 20u);
}

TEST(PolicyText, PricesAreReadBackWithAllTheirConditions) {
  const Policy policy = With(R"(
prices:
  currency: EUR
  per_kwh: 0.312345
  rules:
    - {pool: "yes", per_gpu_hour: 0.000001}
    - {model: "RTX 6000", per_gpu_hour: 2.10, watts: 700}
    - {node: "n-1: \"a\" #2", label: {purchase: spot}, per_gpu_hour: 0}
    - {per_gpu_hour: 1000}
)");
  ASSERT_EQ(policy.prices.rules.size(), 4u);
  ExpectSameAsFile(policy);
  EXPECT_THAT(PolicyChanges(BuiltInPolicy(), policy), ElementsAre("prices"));
  const auto document = PolicyDocument("f", policy)["prices"];
  EXPECT_EQ(document["currency"], "EUR");
  EXPECT_EQ(document["per_kwh"], "0.312345");
  EXPECT_EQ(document["rules"][0],
            nlohmann::ordered_json({{"pool", "yes"}, {"per_gpu_hour", "0.000001"}}));
  EXPECT_EQ(document["rules"][2]["label"], nlohmann::ordered_json({{"purchase", "spot"}}));
  EXPECT_FALSE(document["rules"][3].contains("watts")) << "0 is not known";
}

TEST(PolicyText, PlacementOfPoolsWithAnyNameIsReadBack) {
  const Policy policy = With(R"(
placement:
  "*": {nvlink: 7}
  "null": {nvlink: 0}
  "NULL": {nvlink: 0}
  "Null": {nvlink: 0}
  "1": {nvlink: 3}
  "1e3": {nvlink: 3}
  "true": {nvlink: 3}
  big.pool_2: {nvlink: 3}
)");
  ExpectSameAsFile(policy);
  EXPECT_THAT(PolicyChanges(BuiltInPolicy(), policy), ElementsAre("placement"));
}

TEST(PolicyText, OnlyXidsThatDifferFromTheCatalogueAreListed) {
  EXPECT_TRUE(PolicyDocument("", BuiltInPolicy())["xids"].empty());
  const std::map<int, XidRule> catalogue = XidRules();
  ASSERT_FALSE(catalogue.empty());
  const auto& [xid, rule] = *catalogue.begin();
  Policy policy = BuiltInPolicy();
  const std::string number = std::to_string(xid);
  for (const auto& [other, other_rule] : catalogue) {
    if (other_rule == rule) continue;
    policy.faults.xids[xid] = other_rule;
    break;
  }
  ASSERT_NE(policy.faults.xids, BuiltInPolicy().faults.xids);
  EXPECT_EQ(PolicyDocument("", policy)["xids"].size(), 1u);
  EXPECT_TRUE(PolicyDocument("", policy)["xids"].contains(number));
  EXPECT_THAT(PolicyChanges(BuiltInPolicy(), policy), ElementsAre("xids"));
  ExpectSameAsFile(policy);
}

TEST(PolicyText, AnXidThatTheCatalogueDoesNotKnowIsReadBack) {
  Policy policy = BuiltInPolicy();
  policy.faults.xids[1'023] = XidRule{};
  ExpectSameAsFile(policy);
}

TEST(PolicyText, UnderUseOfEachClassIsReadBackAndItsChangeNamesTheClass) {
  Policy policy = BuiltInPolicy();
  policy.under_use.low = {100, Duration::Minutes(90), Duration::Minutes(60 * 24)};
  policy.under_use.interactive = {1, {}, {}};
  ExpectSameAsFile(policy);
  EXPECT_THAT(PolicyChanges(BuiltInPolicy(), policy),
              ::testing::UnorderedElementsAre(::testing::StartsWith("under_use.low: {\"below\":5,"),
                                              ::testing::StartsWith("under_use.interactive: ")));
}

TEST(PolicyText, SaysWhichFileIsInForce) {
  EXPECT_THAT(PolicyFileText("/etc/policy.yaml", BuiltInPolicy()),
              ::testing::StartsWith("# In force with /etc/policy.yaml.  "));
  EXPECT_EQ(PolicyDocument("/etc/policy.yaml", BuiltInPolicy())["file"], "/etc/policy.yaml");
}

}  // namespace
}  // namespace gp
