#include "domain/explaining/right_size.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr int64_t kHourMs = 3'600'000;

GpuUsed Gpu(int64_t busy_percent, int64_t memory_mib = 40'000, int64_t seen_ms = kHourMs) {
  return {{0, seen_ms, seen_ms * busy_percent / 100, memory_mib}, 80'000};
}

AttemptUsed Used(std::vector<GpuUsed> gpus) {
  RankUsed rank;
  rank.gpus = std::move(gpus);
  return {Duration::Minutes(60), true, {rank}};
}

JobSpec Requested(int gpus) {
  JobSpec spec;
  spec.resources.gpus.count = gpus;
  return spec;
}

std::string Texts(const std::vector<Advice>& advice) {
  std::string text;
  for (const Advice& one : advice)
    text += std::string(text.empty() ? "" : "\n") + Name(one.kind) + ": " + one.text + " [" +
            std::to_string(one.saved_thousandths) + "]";
  return text;
}

TEST(RightSize, OfWhatIsUsedWellNothingIsSaid) {
  EXPECT_EQ(Texts(RightSize(Requested(2), Used({Gpu(90), Gpu(60)}))), "");
  EXPECT_EQ(Texts(RightSize(Requested(0), Used({}))), "");
}

TEST(RightSize, OfWhatWasHardlySeenNothingIsSaid) {
  EXPECT_EQ(Texts(RightSize(Requested(2), Used({Gpu(0), Gpu(0, 0, 59'999)}))), "");
  EXPECT_EQ(Texts(RightSize(Requested(1), Used({Gpu(0, 0, 0)}))), "");
}

TEST(RightSize, IdleGpus) {
  EXPECT_EQ(Texts(RightSize(Requested(2), Used({Gpu(0), Gpu(0)}))),
            "idle: none of its 2 GPUs was busy in 1h: request none (gpus: 0), or see whether the "
            "program finds them [1000]");
  EXPECT_EQ(Texts(RightSize(Requested(1), Used({Gpu(0)}))),
            "idle: its GPU was never busy in 1h: request none (gpus: 0), or see whether the "
            "program finds them [1000]");
  EXPECT_EQ(Texts(RightSize(Requested(4), Used({Gpu(90), Gpu(0), Gpu(0), Gpu(1)}))),
            "gpus: no more than 2 of 4 GPUs were ever busy in 1h: gpus: 2 [500]");
  EXPECT_EQ(Texts(RightSize(Requested(1), Used({Gpu(1, 70'000)}))), "")
      << "a quiet service that fills its GPU";
}

TEST(RightSize, FewerOfEachNodeOnlyAsFarAsAllRanksWould) {
  AttemptUsed used = Used({Gpu(90), Gpu(0), Gpu(0), Gpu(0)});
  used.ranks.push_back(Used({Gpu(90), Gpu(90), Gpu(90), Gpu(0)}).ranks[0]);
  JobSpec spec = Requested(4);
  spec.resources.nodes = 2;
  EXPECT_EQ(Texts(RightSize(spec, used)),
            "gpus: no more than 3 of 4 GPUs of each node were ever busy in 1h: gpus: 3 [250]");
}

TEST(RightSize, APartOfAGpu) {
  const auto advice = [](int busy, int64_t memory) {
    return Texts(RightSize(Requested(1), Used({Gpu(busy, memory)})));
  };
  EXPECT_EQ(advice(8, 6'000),
            "share: its GPU was busy for 8 % of 1h, with 6000 of 80000 MiB in use: a part is "
            "enough, share: 0.125 (isolation: mps, mig or timeslice) [875]");
  EXPECT_EQ(advice(20, 6'000),
            "share: its GPU was busy for 20 % of 1h, with 6000 of 80000 MiB in use: a part is "
            "enough, share: 0.25 (isolation: mps, mig or timeslice) [750]");
  EXPECT_EQ(advice(5, 32'000),
            "share: its GPU was busy for 5 % of 1h, with 32000 of 80000 MiB in use: a part is "
            "enough, share: 0.5 (isolation: mps, mig or timeslice) [500]");
  EXPECT_EQ(advice(41, 6'000), "");
  EXPECT_EQ(advice(5, 33'000), "");
  EXPECT_EQ(advice(5, GpuUse::kNotSeen), "") << "its memory is not known";
  JobSpec shared = Requested(1);
  shared.resources.gpus.isolation = Isolation::kMps;
  EXPECT_EQ(Texts(RightSize(shared, Used({Gpu(8, 6'000)}))), "");
}

TEST(RightSize, CoresAndMemory) {
  AttemptUsed used = Used({});
  used.ranks[0].cpu_seen_ms = kHourMs;
  used.ranks[0].cpu_ms = kHourMs * 31 / 10;
  used.ranks[0].memory_mib = 20'480;
  JobSpec spec = Requested(0);
  spec.resources.cpus = 32;
  spec.resources.memory_bytes = int64_t{200} << 30;
  EXPECT_EQ(Texts(RightSize(spec, used)),
            "cpus: it used 3.1 of 32 cores: cpus: 4 [0]\nmemory: it used 20480 of 204800 MiB of "
            "the host's memory at the most: memory: 25GiB [0]");
  spec.resources.cpus = 7;
  spec.resources.memory_bytes = int64_t{49} << 30;
  EXPECT_EQ(Texts(RightSize(spec, used)), "");
  used.ranks[0].cpu_seen_ms = 0;
  used.ranks[0].memory_mib = GpuUse::kNotSeen;
  spec.resources.cpus = 1'000;
  spec.resources.memory_bytes = int64_t{900} << 30;
  EXPECT_EQ(Texts(RightSize(spec, used)), "");
}

TEST(RightSize, AShorterTimeLimit) {
  AttemptUsed used = Used({});
  JobSpec spec = Requested(0);
  spec.policy.time_limit = Duration::Minutes(180);
  EXPECT_EQ(Texts(RightSize(spec, used)),
            "time-limit: it ran for 1h of the 3h that it requested: time_limit: 76m lets backfill "
            "start it earlier [0]");
  spec.policy.time_limit = Duration::Minutes(179);
  EXPECT_EQ(Texts(RightSize(spec, used)), "");
  spec.policy.time_limit = Duration::Minutes(180);
  used.is_completed = false;
  EXPECT_EQ(Texts(RightSize(spec, used)), "");
}

}  // namespace
}  // namespace gp
