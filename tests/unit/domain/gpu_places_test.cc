#include "domain/node/gpu_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace gp {
namespace {

using testing::ElementsAre;

// GPUs with these letters as UUIDs, on NUMA nodes with these numbers of the kernel.
NodeFacts FactsOf(const std::string& gpus, const std::vector<int>& numa = {0}) {
  NodeFacts facts;
  for (const char uuid : gpus) facts.gpus.push_back({.uuid = std::string(1, uuid)});
  for (const int os_id : numa) facts.numa.push_back({.os_id = os_id});
  return facts;
}

std::vector<GpuObservation> Seen(int count) {
  std::vector<GpuObservation> seen;
  for (int gpu = 0; gpu < count; ++gpu)
    seen.push_back({.gpu = gpu, .detail = "as " + std::to_string(gpu)});
  return seen;
}

TEST(GpuPlacesTest, AlikeNothingChanges) {
  for (const GpuPlaces& places : {GpuPlaces(), GpuPlaces(FactsOf("abc"), FactsOf("abc"))}) {
    std::vector<GpuObservation> seen = Seen(3);
    places.ToLedger(seen);
    EXPECT_EQ(seen, Seen(3));
  }
}

// For every order of four GPUs: what is said of a GPU is said of the one with its UUID.
TEST(GpuPlacesTest, ObservationsFollowTheUuidInEveryOrder) {
  const std::string ledger = "abcd";
  std::string agent = ledger;
  do {
    const GpuPlaces places(FactsOf(ledger), FactsOf(agent));
    std::vector<GpuObservation> seen = Seen(4);
    places.ToLedger(seen);
    ASSERT_EQ(seen.size(), 4u);
    for (int gpu = 0; gpu < 4; ++gpu) {
      EXPECT_EQ(seen[static_cast<size_t>(gpu)].gpu, gpu) << agent << ": in the ledger's order";
      const size_t there = agent.find(ledger[static_cast<size_t>(gpu)]);
      EXPECT_EQ(seen[static_cast<size_t>(gpu)].detail, "as " + std::to_string(there)) << agent;
    }
  } while (std::ranges::next_permutation(agent).found);
}

// And what is ordered for one is done to that one.
TEST(GpuPlacesTest, OrdersFollowTheUuidInEveryOrder) {
  const std::string ledger = "abcd";
  std::string agent = ledger;
  do {
    const GpuPlaces places(FactsOf(ledger), FactsOf(agent));
    NodeDesiredState desired;
    for (int gpu = 0; gpu < 4; ++gpu)
      desired.tasks.push_back({.gpu = gpu, .number = static_cast<uint64_t>(gpu)});
    desired.leases.resize(1);
    desired.leases[0].lease.gpus = {{.gpu = 1}, {.gpu = 3}};
    places.ToAgent(desired);
    ASSERT_EQ(desired.tasks.size(), 4u);
    for (const DesiredGpuTask& task : desired.tasks) {
      EXPECT_EQ(agent[static_cast<size_t>(task.gpu)], ledger[static_cast<size_t>(task.number)]);
    }
    std::vector<char> held;
    for (const GpuGrant& grant : desired.leases[0].lease.gpus)
      held.push_back(agent[static_cast<size_t>(grant.gpu)]);
    EXPECT_TRUE(std::ranges::is_sorted(desired.leases[0].lease.gpus, {}, &GpuGrant::gpu)) << agent;
    std::ranges::sort(held);
    EXPECT_THAT(held, ElementsAre('b', 'd')) << agent;
    std::vector<GpuTaskResult> results;
    for (const DesiredGpuTask& task : desired.tasks)
      results.push_back({.gpu = task.gpu, .number = task.number});
    places.ToLedger(results);
    ASSERT_EQ(results.size(), 4u);
    for (const GpuTaskResult& result : results)
      EXPECT_EQ(result.gpu, static_cast<int>(result.number)) << "back again";
  } while (std::ranges::next_permutation(agent).found);
}

TEST(GpuPlacesTest, AGpuThatTheMachineLacksIsInNoOrder) {
  const GpuPlaces places(FactsOf("abc"), FactsOf("ca"));
  NodeDesiredState desired;
  desired.tasks = {{.gpu = 0}, {.gpu = 1}, {.gpu = 2}};
  desired.leases.resize(1);
  desired.leases[0].lease.gpus = {{.gpu = 0}, {.gpu = 1}, {.gpu = 2}};
  places.ToAgent(desired);
  ASSERT_EQ(desired.tasks.size(), 2u);
  EXPECT_EQ(desired.tasks[0].gpu, 1);
  EXPECT_EQ(desired.tasks[1].gpu, 0);
  EXPECT_EQ(desired.leases[0].lease.gpus.size(), 2u);
}

TEST(GpuPlacesTest, AGpuThatTheLedgerDoesNotKnowIsInNoReport) {
  const GpuPlaces places(FactsOf("a"), FactsOf("xa"));
  std::vector<GpuObservation> seen = Seen(2);
  places.ToLedger(seen);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].gpu, 0);
  EXPECT_EQ(seen[0].detail, "as 1");
  std::vector<FaultSignal> signals{{.number = 1, .gpu = 0},
                                   {.number = 2, .gpu = 1},
                                   {.number = 3, .gpu = -1},
                                   {.number = 4, .gpu = 2}};
  places.ToLedger(signals);
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].number, 2u);
  EXPECT_EQ(signals[0].gpu, 0);
  EXPECT_EQ(signals[1].number, 3u) << "one of the whole node stays";
  EXPECT_EQ(signals[1].gpu, -1);
}

TEST(GpuPlacesTest, UseIsSortedByTheLedgersNumbers) {
  const GpuPlaces places(FactsOf("abc"), FactsOf("cba"));
  std::vector<LeaseObservation> leases(1);
  leases[0].use.gpus = {{.gpu = 0, .busy_ms = 30}, {.gpu = 2, .busy_ms = 10}};
  places.ToLedger(leases);
  ASSERT_EQ(leases[0].use.gpus.size(), 2u);
  EXPECT_EQ(leases[0].use.gpus[0].gpu, 0);
  EXPECT_EQ(leases[0].use.gpus[0].busy_ms, 10);
  EXPECT_EQ(leases[0].use.gpus[1].gpu, 2);
}

TEST(GpuPlacesTest, NumaNodesFollowTheKernelsNumber) {
  const GpuPlaces places(FactsOf("a", {0, 8}), FactsOf("a", {8, 0, 9}));
  NodeDesiredState desired;
  desired.leases.resize(1);
  desired.leases[0].lease.numa = {{.numa = 0, .memory_mib = 10}, {.numa = 1, .memory_mib = 20}};
  places.ToAgent(desired);
  ASSERT_EQ(desired.leases[0].lease.numa.size(), 2u);
  for (const NumaGrant& grant : desired.leases[0].lease.numa)
    EXPECT_EQ(grant.memory_mib, grant.numa == 1 ? 10 : 20);
}

}  // namespace
}  // namespace gp
