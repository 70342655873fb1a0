// The table of nodes never contradicts the engine: a node is said to be able if and only if
// placement finds a place there and it is not closed to the job.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/rng.h"
#include "domain/explaining/node_table.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/planner.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

// Nodes of two models, some drained, labelled, reserved or of another pool, with jobs of all kinds.
class SmallCluster {
 public:
  explicit SmallCluster(uint64_t seed) : rng_(seed) {
    engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
    SetQueue other;
    other.name = "other";
    other.pool = "side";
    (void)engine_.Execute(other);
    const int nodes = rng_.Between(2, 6);
    for (int i = 0; i < nodes; ++i) AddNode(i);
    for (int i = rng_.Between(0, 14); i > 0; --i) Run(Draw(), rng_.Chance(1, 2) ? "ana" : "ben");
    for (const Node& node : engine_.state().nodes.all) Trouble(node.id);
    // Some may keep nodes
    engine_.AdvanceTo(engine_.now() + Duration::Minutes(rng_.Between(0, 20)));
  }

  const State& state() const { return engine_.state(); }
  Instant now() const { return engine_.now(); }

  Job Ask() {
    Job job;
    job.id = {state().jobs.last + 1};
    job.spec = std::make_shared<const JobSpec>(Draw());
    job.user = {"ana", 1000, 1000};
    return job;
  }

 private:
  void AddNode(int number) {
    NodeFacts facts = PlainNode(number, rng_.Chance(1, 3) ? 4 : 8);
    if (rng_.Chance(1, 3))
      for (GpuFacts& gpu : facts.gpus) gpu.model = "NVIDIA A100";
    const NodeId node = engine_.AddNode(facts);
    ChangeNode change;
    change.node = node;
    if (rng_.Chance(1, 3)) change.labels["zone"] = "east";
    if (rng_.Chance(1, 6)) change.pool = "side";
    (void)engine_.Execute(change);
  }

  JobSpec Draw() {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = rng_.Between(0, 8);
    spec.resources.cpus = rng_.Between(0, 2) * rng_.Between(1, 40);
    if (rng_.Chance(1, 3)) spec.resources.memory_bytes = int64_t{rng_.Between(1, 2'000)} << 30;
    if (rng_.Chance(1, 4)) spec.placement.topology.require = TopologyLevel::kSameNuma;
    spec.placement.topology.allow_cross_numa = rng_.Chance(3, 4);
    if (rng_.Chance(1, 4)) spec.resources.gpus.models = {rng_.Chance(1, 2) ? "A100" : "H100"};
    if (rng_.Chance(1, 5)) spec.placement.node_labels["zone"] = "east";
    if (rng_.Chance(1, 4)) {
      spec.resources.gpus.isolation = Isolation::kTimeslice;
      spec.resources.gpus.share_thousandths = 100 * rng_.Between(1, 9);
    }
    if (rng_.Chance(1, 2)) spec.policy.time_limit = Duration::Minutes(rng_.Between(1, 300));
    return spec;
  }

  void Run(const JobSpec& spec, const std::string& user) {
    (void)engine_.Submit(std::make_shared<const JobSpec>(spec), {user, 1000, 1000});
    for (const PlaceGang& placed : engine_.Pass().Placements()) engine_.Start(placed.job);
  }

  void Trouble(NodeId node) {
    if (rng_.Chance(1, 8))
      (void)engine_.Execute(ChangeService{node, -1, ServiceAction::kDrain, false, "test"});
    if (rng_.Chance(1, 8)) (void)engine_.Execute(ExpireHeartbeat{node});
    if (rng_.Chance(1, 8))
      (void)engine_.Execute(ChangeService{node, 0, ServiceAction::kDrain, false, "test"});
    if (!rng_.Chance(1, 6)) return;
    ReserveNodes reserve;
    reserve.reservation.name = "course-" + std::to_string(node.value);
    reserve.reservation.nodes = {node};
    reserve.reservation.starts_at = now() + Duration::Minutes(rng_.Between(400, 600));
    reserve.reservation.ends_at = now() + Duration::Minutes(700);
    (void)engine_.Execute(reserve);
  }

  Rng rng_;
  Engine engine_;
};

int LargestTogether(const Node& node, const Job& job) {
  int largest = 0;
  for (int count = 1; count <= job.spec->resources.gpus.count; ++count) {
    JobSpec spec = *job.spec;
    spec.resources.gpus.count = count;
    Job smaller = job;
    smaller.spec = std::make_shared<const JobSpec>(spec);
    if (Fits(node, smaller)) largest = count;
  }
  return largest;
}

std::string WithoutNumbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

TEST(NodeTables, SayWhatPlacementDoes) {
  const char* text = std::getenv("GP_CASES");
  const uint64_t cases = text == nullptr ? 500 : std::strtoull(text, nullptr, 10);
  std::map<std::string, int> whys;
  for (uint64_t seed = 1; seed <= cases && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    SmallCluster cluster(seed);
    const State& state = cluster.state();
    const Job job = cluster.Ask();
    BackfillReservations backfill(state, cluster.now(), Schedule(state, cluster.now()).backfill);
    const std::set<NodeId> closed = backfill.ClosedTo(job);
    std::set<NodeId> seen;
    for (const NodeRow& row : NodeTable(state, cluster.now(), job)) {
      EXPECT_EQ(row.takes_rank, row.why.empty());
      for (const NodeId id : row.nodes) {
        const Node& node = *state.FindNode(id);
        EXPECT_TRUE(seen.insert(id).second) << "a node in two rows";
        EXPECT_EQ(row.takes_rank, Fits(node, job) && !closed.contains(id))
            << node.facts->name << ": " << row.why;
        EXPECT_EQ(row.fits, LargestTogether(node, job)) << node.facts->name;
        EXPECT_EQ(row.gpus, static_cast<int>(node.gpus.size()));
      }
      ++whys[WithoutNumbers(row.why)];
    }
    EXPECT_EQ(seen.size(), state.nodes.all.size());
  }
  for (const auto& [why, count] : whys) std::printf("%6d %s\n", count, why.c_str());
  EXPECT_GE(whys.size(), 12u) << "kinds of reasons";
}

}  // namespace
}  // namespace gp
