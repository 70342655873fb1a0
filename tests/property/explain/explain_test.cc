// Waiting jobs with a planted cause: the reason names it, and what is suggested is true and
// smallest. GP_CASES: how many.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "domain/explaining/explain.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"
#include "tests/property/explain/planted_case.h"

namespace gp {
namespace {

struct Score {
  int waiting = 0;
  int right = 0;
  int changes = 0;
  int sound = 0;
  std::map<std::string, int> kinds;
  std::map<std::string, int> causes;
};

// Nothing between what the job asks and what is suggested would do.
void ExpectSmallest(const PlantedCase& one, const Explanation& explained, uint64_t seed) {
  const JobSpec& asked = *one.job().spec;
  int gpus = 0;
  int nodes = 0;
  for (const Change& change : explained.changes) {
    if (change.kind == ChangeKind::kFewerGpus) gpus = change.spec->resources.gpus.count;
    if (change.kind == ChangeKind::kFewerNodes) nodes = change.spec->resources.nodes;
    // Will do
    const bool is_any = change.kind == ChangeKind::kTimeLimit &&
                        change.spec->policy.time_limit == Duration::Minutes(24 * 60);
    if (change.kind == ChangeKind::kTimeLimit && !is_any) {
      EXPECT_FALSE(one.StartsWith([&change](JobSpec& spec) {
        spec.policy.time_limit = change.spec->policy.time_limit + Duration::Minutes(1);
      })) << "seed "
          << seed;
    }
  }
  for (int fewer = asked.resources.gpus.count - 1; fewer > gpus && fewer > 0; --fewer) {
    EXPECT_FALSE(one.StartsWith([fewer](JobSpec& spec) { spec.resources.gpus.count = fewer; }))
        << "seed " << seed << ": with " << fewer << " GPUs";
  }
  for (int fewer = asked.resources.nodes - 1; fewer > nodes && fewer > 0; --fewer) {
    EXPECT_FALSE(one.StartsWith([fewer](JobSpec& spec) { spec.resources.nodes = fewer; }))
        << "seed " << seed << ": with " << fewer << " nodes";
  }
}

TEST(Explaining, TellsTheCauseAndWhatWouldHelp) {
  const char* text = std::getenv("GP_CASES");
  const uint64_t cases = text == nullptr ? 500 : std::strtoull(text, nullptr, 10);
  Score score;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    PlantedCase one(seed);
    const Planted planted = one.Plant();
    if (planted.reason == PendingKind::kTurn) continue;
    ASSERT_EQ(one.job().state, JobState::kQueued) << "seed " << seed;
    const Explanation explained = one.Explained();
    ++score.waiting;
    ++score.causes[planted.cause];
    ASSERT_FALSE(explained.reasons.empty()) << "seed " << seed;
    const PendingReason listed = WhyPending(one.state(), one.now(), one.job());
    EXPECT_EQ(listed.code, explained.reasons.front().code)
        << "seed " << seed << ": lists say another thing";
    EXPECT_EQ(listed.text, explained.reasons.front().text) << "seed " << seed;
    EXPECT_NE(listed.code, "WaitingForScheduling")
        << "seed " << seed << ": the next pass does not start it: " << listed.text;
    const bool right = explained.reasons.front().kind == planted.reason;
    score.right += right ? 1 : 0;
    if (!right)
      std::printf("seed %lu: %s was planted, told: %s\n", seed, planted.cause,
                  explained.reasons.front().text.c_str());
    const bool helped =
        !planted.helps || std::ranges::count(explained.changes, *planted.helps, &Change::kind) > 0;
    EXPECT_TRUE(helped) << "seed " << seed << ", " << planted.cause << ": " << Name(*planted.helps)
                        << " is not suggested";
    for (const Change& change : explained.changes) {
      ++score.changes;
      ++score.kinds[Name(change.kind)];
      const bool starts = one.StartsWith(change);
      score.sound += starts ? 1 : 0;
      if (!starts) std::printf("seed %lu: does not start it: %s\n", seed, change.text.c_str());
    }
    ExpectSmallest(one, explained, seed);
  }
  std::printf("%d waiting jobs, top reason right %d; %d changes, %d start the job;", score.waiting,
              score.right, score.changes, score.sound);
  for (const auto& [kind, count] : score.kinds) std::printf(" %s %d", kind.c_str(), count);
  std::printf("\ncauses:");
  for (const auto& [cause, count] : score.causes) std::printf(" %s %d;", cause.c_str(), count);
  std::printf("\n");
  EXPECT_EQ(score.causes.size(), kPlantedCauses);
  EXPECT_GE(score.right * 100, score.waiting * 99);
  EXPECT_GE(score.sound * 100, score.changes * 95);
  EXPECT_GE(score.kinds.size(), 9u) << "kinds of changes";
}

// Who has reserved memory alone keeps others off the GPU, and is named.
TEST(Explaining, WhoHoldsMemoryAloneIsAHolder) {
  Engine engine;
  engine.AdvanceTo(Instant{1'700'000'000'000'000'000});
  engine.AddNode(PlainNode(0, 1));
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.isolation = Isolation::kTimeslice;
  spec.resources.gpus.memory_mib = engine.state().nodes.all[0].facts->gpus[0].memory_mib / 4;
  const JobId holder = *engine.Submit(std::make_shared<const JobSpec>(spec), {"ben", 1001, 1001});
  engine.Pass();
  engine.Start(holder);
  spec.resources.gpus = {};
  const JobId job = *engine.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  engine.Pass();
  const Explanation explained = Explain(engine.state(), engine.now(), *engine.state().FindJob(job));
  ASSERT_EQ(explained.holders.size(), 1u);
  EXPECT_EQ(explained.holders[0].user, "ben");
  EXPECT_NEAR(static_cast<double>(explained.holders[0].share), 250, 1);
}

// A pass is due: what fits already is not told to wait for anybody, and an idle cluster is no trap.
TEST(Explaining, OfAGangBeforeThePassThatIsDue) {
  Engine engine;
  engine.AdvanceTo(Instant{1'700'000'000'000'000'000});
  engine.AddNode(PlainNode(0, 8));
  engine.AddNode(PlainNode(1, 8));
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = 8;
  spec.resources.nodes = 2;
  (void)engine.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  const JobId second = *engine.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  const Explanation explained =
      Explain(engine.state(), engine.now(), *engine.state().FindJob(second));
  EXPECT_FALSE(explained.place.has_value());
  for (const Change& change : explained.changes)
    EXPECT_NE(change.kind, ChangeKind::kWait) << change.text;
}

}  // namespace
}  // namespace gp
