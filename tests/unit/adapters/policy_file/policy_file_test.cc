#include "adapters/inbound/policy_file/policy_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"

namespace gp {
namespace {

Result<std::function<void(Policy&)>> Decode(std::string_view text) {
  return DecodePolicy("p.yaml", text, XidRules());
}

TEST(PolicyFile, ChangesWhatItNamesAndNothingElse) {
  const auto change = Decode("min_run: 90s\nclass_floor: 10\nage_after: 2h\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  (*change)(policy);
  EXPECT_EQ(policy.min_run, Duration::Seconds(90));
  EXPECT_EQ(policy.class_floor, 10);
  EXPECT_EQ(policy.age_after, Duration::Minutes(120));
  EXPECT_EQ(policy.reserve_after, Policy().reserve_after);
}

TEST(PolicyFile, EveryNameIsKnown) {
  const std::set<std::string> counts = {
      "faults_max",        "class_floor",     "moves_per_hour",
      "suspect_users",     "suspect_errors",  "suspect_errors_per_user",
      "suspect_factor",    "lemon_failures",  "lemon_factor",
      "resets_per_day",    "breaker_percent", "breaker_gpus_min",
      "breaker_nodes_min", "jobs_kept"};
  for (const std::string& name : PolicyNames()) {
    const std::map<std::string, std::string> maps = {{"xids", "{109: {job: note, gpu: count}}"},
                                                     {"health", "{warm: none}"},
                                                     {"placement", "{web: {spread: 1}}"},
                                                     {"prices", "{currency: EUR}"},
                                                     {"under_use", "{low: {warn: 1h}}"}};
    const std::string value = maps.contains(name)     ? maps.at(name)
                              : counts.contains(name) ? "7"
                                                      : "7m";
    const auto change = Decode(name + ": " + value);
    EXPECT_TRUE(change) << name << ": " << change.error().message;
  }
}

TEST(PolicyFile, ChangesRulesOfUnderUseByClass) {
  const auto change =
      Decode("under_use:\n  low: {below: 10, warn: 30m, stop: 1h}\n  interactive: {stop: 4h}\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  (*change)(policy);
  EXPECT_EQ(policy.under_use.low, (UnderUseRule{10, Duration::Minutes(30), Duration::Minutes(60)}));
  EXPECT_EQ(policy.under_use.interactive,
            (UnderUseRule{5, Duration::Minutes(60), Duration::Minutes(240)}));
  EXPECT_EQ(policy.under_use.high, Policy().under_use.high);
}

TEST(PolicyFile, SaysWhatIsWrongWithRulesOfUnderUse) {
  const auto message = [](const std::string& text) {
    const auto change = Decode("under_use: " + text);
    return change ? std::string() : change.error().message;
  };
  EXPECT_NE(message("3").find("under_use: a map such as"), std::string::npos) << message("3");
  EXPECT_NE(message("{hihg: {warn: 1h}}").find("there is no \"hihg\"; did you mean \"high\"?"),
            std::string::npos)
      << message("{hihg: {warn: 1h}}");
  EXPECT_NE(message("{low: 1h}").find("under_use.low: a map such as"), std::string::npos)
      << message("{low: 1h}");
  EXPECT_NE(message("{low: {kill: 1h}}").find("under_use.low: there is no \"kill\""),
            std::string::npos)
      << message("{low: {kill: 1h}}");
  EXPECT_NE(message("{low: {below: 101}}").find("under_use.low.below: "), std::string::npos)
      << message("{low: {below: 101}}");
  EXPECT_NE(message("{low: {warn: soon}}").find("under_use.low.warn: "), std::string::npos)
      << message("{low: {warn: soon}}");
}

TEST(PolicyFile, EveryNumberMayBeTheLeastAndTheMostThatIsTold) {
  for (const PolicyValue& one : PolicyNumbers(Policy())) {
    EXPECT_FALSE(one.meaning.empty()) << one.name;
    for (const std::string& value : {one.value, one.least, one.most}) {
      const auto change = Decode(one.name + ": " + value);
      EXPECT_TRUE(change) << change.error().message;
    }
  }
}

// The reference says of each number what the program does.
TEST(PolicyFile, TheReferenceHasEveryMeaning) {
  std::ifstream file(GP_POLICIES);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const PolicyValue& one : PolicyNumbers(Policy())) {
    const size_t row = text.find("| `" + one.name + "` |");
    ASSERT_NE(row, std::string::npos) << one.name;
    EXPECT_NE(text.substr(row, text.find('\n', row) - row).find("| " + one.meaning + " |"),
              std::string::npos)
        << one.name << ": " << one.meaning;
  }
}

TEST(PolicyFile, ChangesTheNumbersOfFaults) {
  const auto change = Decode(
      "faults_correlate: 10s\nincident_window: 5m\nerror_window: 7d\nsuspect_users: "
      "4\nsuspect_errors: 6\n"
      "suspect_errors_per_user: 3\nsuspect_factor: 20\nrecovery_hold: 2m\nlemon_failures: "
      "4\nlemon_factor: 5\nlemon_window: 3d\nresets_per_day: 2\nbreaker_percent: "
      "30\nbreaker_gpus_min: 5\nbreaker_nodes_min: 4\nbreaker_window: 20m\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  (*change)(policy);
  const FaultPolicy& faults = policy.faults;
  EXPECT_EQ(faults.correlate, Duration::Seconds(10));
  EXPECT_EQ(faults.incident_window, Duration::Minutes(5));
  EXPECT_EQ(faults.error_window, Duration::Minutes(7 * 24 * 60));
  EXPECT_EQ(faults.suspect_users, 4);
  EXPECT_EQ(faults.suspect_errors, 6);
  EXPECT_EQ(faults.suspect_errors_per_user, 3);
  EXPECT_EQ(faults.suspect_factor, 20);
  EXPECT_EQ(faults.recovery_hold, Duration::Minutes(2));
  EXPECT_EQ(faults.lemon_failures, 4);
  EXPECT_EQ(faults.lemon_factor, 5);
  EXPECT_EQ(faults.lemon_window, Duration::Minutes(3 * 24 * 60));
  EXPECT_EQ(faults.resets_per_day, 2);
  EXPECT_EQ(faults.breaker_percent, 30);
  EXPECT_EQ(faults.breaker_gpus_min, 5);
  EXPECT_EQ(faults.breaker_nodes_min, 4);
  EXPECT_EQ(faults.breaker_window, Duration::Minutes(20));
}

// What is shown can be written into a file, and says the same there.
TEST(PolicyFile, TellsTheNumbersOfFaultsAsAFileHasThem) {
  Policy odd;
  odd.faults.error_window = Duration::Minutes(90);
  odd.faults.suspect_factor = 3;
  std::string text;
  for (const PolicyValue& value : FaultNumbers(odd)) text += value.name + ": " + value.value + "\n";
  const auto change = Decode(text);
  ASSERT_TRUE(change) << change.error().message << "\n" << text;
  Policy policy;
  (*change)(policy);
  EXPECT_EQ(policy.faults.error_window, odd.faults.error_window);
  EXPECT_EQ(policy.faults.suspect_factor, 3);
  EXPECT_EQ(FaultNumbers(policy).size(), 16u);
}

TEST(PolicyFile, OverridesWhatFollowsFromSingleFindings) {
  const auto change = Decode("health: {nvlink-down: no-new-work, warm: none}\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  (*change)(policy);
  HealthTable expected = DefaultHealthTable();
  expected[HealthCode::kLinkDown] = HealthAction::kNoNewWork;
  expected[HealthCode::kWarm] = HealthAction::kNone;
  EXPECT_EQ(policy.faults.health, expected);
  for (const auto& [text, said] :
       {std::pair("health: warm\n", "p.yaml:1:9: health: a map such as"),
        std::pair("health: {cold: none}\n",
                  "p.yaml:1:10: health: there is no \"cold\"; there are unread, "),
        std::pair("health: {warm: reboot}\n", "p.yaml:1:16: health.warm: one of none, "),
        std::pair("health: {warm: [none]}\n", "p.yaml:1:16: health.warm: ")}) {
    const auto wrong = Decode(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_NE(wrong.error().message.find(said), std::string::npos) << text << wrong.error().message;
  }
}

TEST(PolicyFile, OverridesSingleXids) {
  const auto change =
      Decode("xids:\n  109: {job: note, gpu: count}\n  79: {gpu: operator}\n  1023: {job: all}\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  policy.faults.xids = XidRules();
  (*change)(policy);
  EXPECT_EQ(policy.faults.xids.at(109),
            (XidRule{TenantAction::kNote, GpuRemedy::kNone, true, false, false}));
  EXPECT_EQ(policy.faults.xids.at(79),
            (XidRule{TenantAction::kRestartAll, GpuRemedy::kOperator, false, false, false}))
      << "its jobs as the catalogue has it";
  EXPECT_EQ(policy.faults.xids.at(1023),
            (XidRule{TenantAction::kRestartAll, GpuRemedy::kOperator, false, true, false}))
      << "its GPU as of unknown ones";
  EXPECT_EQ(policy.faults.xids.at(48), XidRules().at(48));
  EXPECT_EQ(policy.faults.xids.size(), 177u);
}

TEST(PolicyFile, SaysWhereAnXidIsWrong) {
  const std::pair<const char*, const char*> bad[] = {
      {"xids: 109\n", "p.yaml:1:7: xids: a map such as"},
      {"xids:\n  109: note\n", "p.yaml:2:8: xids.109: a map such as"},
      {"xids:\n  109: {}\n", "p.yaml:2:8: xids.109: a map such as"},
      {"xids:\n  0: {job: note}\n", "p.yaml:2:3: xids: a number from 1 to 1023: "},
      {"xids:\n  1024: {job: note}\n", "p.yaml:2:3: xids: a number from 1 to 1023: "},
      {"xids:\n  0109: {job: note}\n", "p.yaml:2:3: xids: a number from 1 to 1023: "},
      {"xids:\n  -1: {job: note}\n", "p.yaml:2:3: xids: a number from 1 to 1023: "},
      {"xids:\n  all: {job: note}\n", "p.yaml:2:3: xids: a number from 1 to 1023: "},
      {"xids:\n  109: {job: note}\n  109: {gpu: count}\n", "p.yaml:3:3: "},
      {"xids:\n  109: {job: ignore}\n",
       "p.yaml:2:14: xids.109.job: \"ignore\"; there are none, note, forgive, named, linked, all, "
       "text"},
      {"xids:\n  109: {gpu: explode}\n",
       "p.yaml:2:14: xids.109.gpu: \"explode\"; there are none, count, watch, "},
      {"xids:\n  109: {job: [note]}\n", "p.yaml:2:14: xids.109.job: "},
      {"xids:\n  109: {node: drain}\n",
       "p.yaml:2:9: xids.109: there is no \"node\"; there are job, gpu"},
      {"xids:\n  109: {job: text}\n",
       "p.yaml:2:8: xids.109: job and gpu: both are text, or neither"},
      {"suspect_users: 0\n", "p.yaml:1:16: suspect_users: "},
      {"breaker_percent: 101\n", "p.yaml:1:18: breaker_percent: "},
      {"error_window: 366d\n", "p.yaml:1:15: error_window: "},
  };
  for (const auto& [text, said] : bad) {
    const auto change = Decode(text);
    ASSERT_FALSE(change) << text;
    EXPECT_NE(change.error().message.find(said), std::string::npos)
        << text << change.error().message;
  }
}

TEST(PolicyFile, WhatPoolsWantOfPlaces) {
  const auto change =
      Decode("placement:\n  inference: {spread: 5, model_fit: 1}\n  \"*\": {numa: 1000}\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  policy.placement["before"].numa = 1;
  (*change)(policy);
  EXPECT_EQ(policy.placement.size(), 2u) << "the file's are all there are";
  EXPECT_EQ(WeightsOf(policy.placement, "inference"),
            (PlacementWeights{.spread = 5, .model_fit = 1}));
  EXPECT_EQ(WeightsOf(policy.placement, "prod"), (PlacementWeights{.numa = 1000}));
  EXPECT_EQ(WeightsOf({}, "prod"), PlacementWeights{});
}

TEST(PolicyFile, WhatAGpuHourCosts) {
  const auto change = Decode(
      "prices:\n  currency: EUR\n  per_kwh: 0.18\n  rules:\n    - "
      "label: {purchase: spot}\n      per_gpu_hour: 0.9\n"
      "    - {pool: default, model: H100, node: n1, per_gpu_hour: "
      "2.10, watts: 1300}\n    - per_gpu_hour: 0\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  (*change)(policy);
  EXPECT_EQ(policy.prices.currency, "EUR");
  EXPECT_EQ(policy.prices.micros_per_kwh, 180'000);
  ASSERT_EQ(policy.prices.rules.size(), 3u);
  PriceRule spot;
  spot.label_name = "purchase";
  spot.label_value = "spot";
  spot.per_gpu_hour.micros = 900'000;
  EXPECT_EQ(policy.prices.rules[0], spot);
  PriceRule own;
  own.pool = "default";
  own.model = "H100";
  own.node = "n1";
  own.per_gpu_hour.micros = 2'100'000;
  own.watts = 1'300;
  EXPECT_EQ(policy.prices.rules[1], own);
}

TEST(PolicyFile, SaysWhereAPriceIsWrong) {
  const std::pair<const char*, const char*> bad[] = {
      {"prices: 2\n", "p.yaml:1:9: prices: a map such as"},
      {"prices: {curency: USD}\n",
       "p.yaml:1:10: prices: there is no \"curency\"; did you mean \"currency\"?"},
      {"prices: {currency: dollars}\n", "p.yaml:1:20: prices.currency: three capital letters"},
      {"prices: {per_kwh: -1}\n",
       "p.yaml:1:19: prices.per_kwh: \"-1\" is not an amount from 0 to 100"},
      {"prices: {per_kwh: 100.000001}\n", "p.yaml:1:19: prices.per_kwh: "},
      {"prices: {rules: {model: H100}}\n",
       "p.yaml:1:17: prices.rules: a list of at most 1000 maps"},
      {"prices: {rules: [H100]}\n", "p.yaml:1:18: prices.rules[0]: a map such as"},
      {"prices: {rules: [{model: H100}]}\n",
       "p.yaml:1:18: prices.rules[0].per_gpu_hour: the price of a GPU-hour is missing"},
      {"prices: {rules: [{per_gpu_hour: 1e3}]}\n",
       "p.yaml:1:33: prices.rules[0].per_gpu_hour: \"1e3\" is not an amount"},
      {"prices: {rules: [{per_gpu_hour: 010}]}\n",
       "prices.rules[0].per_gpu_hour: \"010\" is not an amount"},
      {"prices: {rules: [{per_gpu_hour: 1.}]}\n",
       "prices.rules[0].per_gpu_hour: \"1.\" is not an amount"},
      {"prices: {rules: [{per_gpu_hour: .5}]}\n",
       "prices.rules[0].per_gpu_hour: \".5\" is not an amount"},
      {"prices: {rules: [{per_gpu_hour: 0.1234567}]}\n", "prices.rules[0].per_gpu_hour: "},
      {"prices: {rules: [{per_gpu_hour: 10001}]}\n",
       "prices.rules[0].per_gpu_hour: \"10001\" is not an amount from 0 to 10000"},
      {"prices: {rules: [{per_gpu_hour: 1, watts: 100001}]}\n", "prices.rules[0].watts: "},
      {"prices: {rules: [{per_gpu_hour: 1, label: spot}]}\n",
       "prices.rules[0].label: a map of one label"},
      {"prices: {rules: [{per_gpu_hour: 1, label: {a: b, c: d}}]}\n",
       "prices.rules[0].label: a map of one label"},
      {"prices: {rules: [{per_gpu_hour: 1, pool: \"a b\"}]}\n", "prices.rules[0].pool: "},
      {"prices: {rules: [{per_gpu_hour: 1, modell: H100}]}\n",
       "prices.rules[0]: there is no \"modell\"; did you mean \"model\"?"},
  };
  for (const auto& [text, said] : bad) {
    const auto change = Decode(text);
    ASSERT_FALSE(change) << text;
    EXPECT_NE(change.error().message.find(said), std::string::npos)
        << text << change.error().message;
  }
}

TEST(PolicyFile, AsManyPoolsAsMayBeWeighed) {
  std::string text = "placement:\n";
  for (size_t i = 0; i < kPoolsWeighedMax; ++i)
    text += "  p" + std::to_string(i) + ": {spread: 1}\n";
  EXPECT_TRUE(Decode(text));
  const auto change = Decode(text + "  more: {spread: 1}\n");
  ASSERT_FALSE(change);
  EXPECT_NE(change.error().message.find("p.yaml:2:3: placement: at most 1000 pools, not 1001"),
            std::string::npos)
      << change.error().message;
}

TEST(PolicyFile, SaysWhereItIsWrong) {
  const std::pair<const char*, const char*> bad[] = {
      {"min_rum: 5m\n",
       "p.yaml:1:1: there is no \"min_rum\" in a policy; did you mean \"min_run\"?"},
      {"min_run: 5m\nclass_floor: 101\n", "p.yaml:2:14: class_floor: "},
      {"min_run: 5\n", "p.yaml:1:10: min_run: \"5\" has no unit"},
      {"min_run: [5m]\n", "p.yaml:1:10: min_run: "},
      {"- min_run\n", "a policy is a map"},
      {"min_run: 5m\nmin_run: 6m\n", "min_run"},
      {"a: 1\nb: 2\n", "p.yaml:2:1: "},
      {"placement: spread\n", "p.yaml:1:12: placement: a map such as"},
      {"placement:\n  web: 1\n", "p.yaml:2:8: placement.web: a map such as"},
      {"placement:\n  web: {spred: 1}\n",
       "p.yaml:2:9: placement.web: there is no weight \"spred\"; did you mean \"spread\"?"},
      {"placement:\n  web: {spread: 1001}\n", "p.yaml:2:17: placement.web.spread: "},
      {"placement:\n  web: {spread: -1}\n", "p.yaml:2:17: placement.web.spread: "},
      {"placement:\n  \"w b\": {spread: 1}\n",
       "p.yaml:2:3: placement.w b: the name of a pool, or \"*\""},
  };
  for (const auto& [text, said] : bad) {
    const auto change = Decode(text);
    ASSERT_FALSE(change) << text;
    EXPECT_NE(change.error().message.find(said), std::string::npos) << change.error().message;
  }
  EXPECT_EQ(ReadPolicyFile("/nowhere/p.yaml", {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadPolicyFile("/proc", {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadPolicyFile("/dev/zero", {}).error().code, ErrorCode::kInvalidArgument)
      << "it has no end";
}

}  // namespace
}  // namespace gp
