#include "experiments/topology/default_policy.h"

#include <map>

#include "domain/model/jobs/job_shape.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/rankings.h"

namespace gp {
namespace {

// As in the planner: beyond this number, caches are dropped and rebuilt.
constexpr size_t kClassesMax = 20'000;

class DefaultPolicy : public TopologyPolicy {
 public:
  explicit DefaultPolicy(const std::vector<Node>& nodes) : nodes_(nodes) {}

  std::optional<std::vector<RankPlacement>> Place(const Job& job) override {
    if (classes_.size() > kClassesMax) Forget();
    const auto pick = rankings_.Of(ShapeOf(job)).Find(classes_, job, {});
    if (!pick) return std::nullopt;
    NodeList chosen;
    for (const NodeId id : pick->nodes) chosen.push_back(&nodes_[id.value]);
    return PlaceOn(chosen, job, pick->nodes_fit, {}).ranks;
  }

  void See(const Node& node) override { classes_.Place(node); }

 private:
  void Forget() {
    classes_ = {};
    rankings_.Clear();
    for (const Node& node : nodes_) classes_.Place(node);
  }

  const std::vector<Node>& nodes_;
  NodeClasses classes_;
  Rankings rankings_;
};

}  // namespace

std::unique_ptr<TopologyPolicy> MakeDefaultPolicy(const std::vector<Node>& nodes) {
  return std::make_unique<DefaultPolicy>(nodes);
}

}  // namespace gp
