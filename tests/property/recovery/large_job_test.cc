// What faults cost a large job: against the closed form, and with nodes that fail more often than others.
// GP_RECOVERY_DAYS chooses for how long (virtual).

#include "tests/property/recovery/large_job.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace gp {
namespace {

constexpr Duration kDay = Duration::Minutes(24 * 60);

int Days() {
  const char* text = std::getenv("GP_RECOVERY_DAYS");
  return text == nullptr ? 20 : std::atoi(text);
}

double Of(Duration part, Duration whole) { return static_cast<double>(part.ns) / static_cast<double>(whole.ns); }

LargeJobFigures Play(const LargeJobSetting& setting) {
  LargeJob job(setting);
  const LargeJobFigures figures = job.Run();
  for (const std::string& broken : job.broken()) ADD_FAILURE() << broken;
  return figures;
}

LargeJobSetting Common() {
  LargeJobSetting setting;
  setting.node_mtbf = kDay * 50;
  setting.repair = kDay * 2;
  setting.start_time = Duration::Minutes(10);
  setting.checkpoint_every = Duration::Minutes(60);
  setting.checkpoint_cost = Duration::Seconds(60);
  setting.length = kDay * Days();
  return setting;
}

// Effective training time, E = (1 - N r (u + t/2)) / (1 + w/t), of Meta's study of reliability (arXiv 2410.21680).
TEST(LargeJob, LosesNoMoreTimeThanTheClosedFormSays) {
  LargeJobSetting setting = Common();
  setting.lemons = 0;
  const LargeJobFigures figures = Play(setting);
  const double faults = Of(figures.elapsed, setting.node_mtbf) * setting.nodes;
  const double lost = setting.nodes * Of(setting.start_time + Duration{setting.checkpoint_every.ns / 2}, setting.node_mtbf);
  const double expected = (1 - lost) / (1 + Of(setting.checkpoint_cost, setting.checkpoint_every));
  const double seen = Of(figures.useful, figures.elapsed);
  std::printf("  %d nodes, %d days: %d interruptions (%.0f expected), effective time %.4f, closed form %.4f\n", setting.nodes, Days(), figures.interruptions, faults,
              seen, expected);
  EXPECT_NEAR(seen / expected, 1.0, 0.02);
  // By chance alone a node looks like a lemon now and then: not more often than once in a hundred years of a node.
  EXPECT_LE(figures.innocent * 36'500, (setting.nodes + setting.spares) * Days());
}

// A twentieth of the nodes causes a part of all failures, and no more than that can be won: of half, a factor of two.
struct Lemons {
  const char* part;
  int times;  // as often as others
};

class LemonsAmongNodes : public testing::TestWithParam<Lemons> {};

TEST_P(LemonsAmongNodes, InterruptLessOftenWhereTheyAreFound) {
  LargeJobSetting setting = Common();
  setting.spares = 16;
  setting.lemons = (setting.nodes + setting.spares) / 20;
  setting.lemon_times = GetParam().times;
  setting.finds_lemons = false;
  const LargeJobFigures without = Play(setting);
  setting.finds_lemons = true;
  const LargeJobFigures with = Play(setting);
  const double falls = static_cast<double>(without.interruptions) / with.interruptions;
  std::printf("  %d lemons of %d nodes, %s of all failures, %d days: %d interruptions without, %d with (%.2f times fewer); %d drained, %d of them no lemons; effective time %.4f, %.4f\n",
              setting.lemons, setting.nodes + setting.spares, GetParam().part, Days(), without.interruptions, with.interruptions, falls, with.drained, with.innocent,
              Of(without.useful, without.elapsed), Of(with.useful, with.elapsed));
  EXPECT_GT(falls, 1.1);
  EXPECT_LE(with.innocent * 5, with.drained);
}

INSTANTIATE_TEST_SUITE_P(LargeJob, LemonsAmongNodes, testing::Values(Lemons{"half", 19}, Lemons{"three quarters", 57}),
                         [](const auto& each) { return each.param.times == 19 ? "Half" : "ThreeQuarters"; });

}  // namespace
}  // namespace gp
