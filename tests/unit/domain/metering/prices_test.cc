#include "domain/metering/prices.h"

#include <gtest/gtest.h>

#include <memory>

namespace gp {
namespace {

Node Host(const std::string& pool = "default", std::map<std::string, std::string> labels = {}) {
  auto facts = std::make_shared<NodeFacts>();
  facts->name = "host-1";
  facts->gpus.resize(2);
  facts->gpus[0].model = "NVIDIA H100 80GB HBM3";
  facts->gpus[1].model = "Tesla T4";
  Node node;
  node.facts = facts;
  node.pool = pool;
  node.labels = std::move(labels);
  return node;
}

PriceRule RuleOf(int64_t micros) { return {.per_gpu_hour = {micros}}; }

TEST(PriceOf, WithoutRulesItCostsNothing) { EXPECT_EQ(PriceOf({}, Host(), 0), Price{}); }

TEST(PriceOf, TheFirstRuleThatFitsCounts) {
  PriceRule spot = RuleOf(1);
  spot.label_name = "purchase";
  spot.label_value = "spot";
  PriceRule h100 = RuleOf(2);
  h100.model = "H100";
  PriceRule render = RuleOf(3);
  render.pool = "render";
  PriceRule host = RuleOf(4);
  host.node = "host-1";
  const PriceList prices{.rules = {spot, h100, render, host, RuleOf(5)}};
  EXPECT_EQ(PriceOf(prices, Host("default", {{"purchase", "spot"}}), 1), Price{1});
  EXPECT_EQ(PriceOf(prices, Host("default", {{"purchase", "owned"}}), 0), Price{2});
  EXPECT_EQ(PriceOf(prices, Host("render"), 0), Price{2});
  EXPECT_EQ(PriceOf(prices, Host("render"), 1), Price{3});
  EXPECT_EQ(PriceOf(prices, Host(), 1), Price{4});
  EXPECT_EQ(PriceOf({.rules = {render, RuleOf(5)}}, Host(), 1), Price{5});
}

TEST(PriceOf, PowerIsPartOfIt) {
  PriceRule rule = RuleOf(2'000'000);
  rule.watts = 1'400;
  EXPECT_EQ(PriceOf({.micros_per_kwh = 250'000, .rules = {rule}}, Host(), 0), Price{2'350'000});
}

}  // namespace
}  // namespace gp
