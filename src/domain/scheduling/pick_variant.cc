#include "domain/scheduling/pick_variant.h"

#include <algorithm>
#include <utility>

#include "domain/model/jobs/variants.h"

namespace gp {
namespace {

Job As(const Job& job, const JobSpec& variant, int nodes) {
  Job as = job;
  JobSpec spec = variant;
  spec.resources.nodes = nodes;
  spec.resources.nodes_min = 0;
  as.spec = std::make_shared<const JobSpec>(std::move(spec));
  return as;
}

// The most nodes, up to `most`, on which no limit stops the job; 0: even the fewest are stopped.
int MostAllowed(const Job& job, const JobSpec& variant, int most,
                const std::function<bool(const Job&)>& is_stopped) {
  int good = LeastNodes(variant) - 1;
  int bad = most + 1;
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (is_stopped(As(job, variant, middle)) ? bad : good) = middle;
  }
  return good < LeastNodes(variant) ? 0 : good;
}

class Picker {
 public:
  Picker(const Job& job, const NodeClasses& classes, Rankings& rankings,
         const std::set<NodeId>& closed, const NodeBits& preferred,
         const std::function<bool(const Job&)>& is_stopped)
      : job_(job),
        classes_(classes),
        rankings_(rankings),
        closed_(closed),
        preferred_(preferred),
        is_stopped_(is_stopped) {}

  // Picks the most nodes that fit and that no limit stops. One ranking serves for all sizes except
  // one node, which needs no common trait.
  std::optional<VariantPick> Pick(const JobSpec& variant) {
    if (variant.resources.nodes > 1) {
      const Job widest = As(job_, variant, variant.resources.nodes);
      ShapeRanking& ranking = rankings_.Of(ShapeOf(widest));
      const auto fit = static_cast<int64_t>(ranking.CountMost(classes_, widest, closed_));
      const int most = static_cast<int>(std::min<int64_t>(fit, variant.resources.nodes));
      const int nodes =
          most < LeastNodes(variant) ? 0 : MostAllowed(job_, variant, most, is_stopped_);
      if (nodes > 1) return PickOf(ranking, As(job_, variant, nodes));
    }
    if (LeastNodes(variant) > 1) return std::nullopt;
    Job single = As(job_, variant, 1);
    if (is_stopped_(single)) return std::nullopt;
    ShapeRanking& ranking = rankings_.Of(ShapeOf(single));
    return PickOf(ranking, std::move(single));
  }

 private:
  std::optional<VariantPick> PickOf(ShapeRanking& ranking, Job as) {
    auto pick = ranking.Find(classes_, as, closed_, preferred_);
    if (!pick) return std::nullopt;
    return VariantPick{0, std::move(as), *std::move(pick)};
  }

  const Job& job_;
  const NodeClasses& classes_;
  Rankings& rankings_;
  const std::set<NodeId>& closed_;
  const NodeBits& preferred_;
  const std::function<bool(const Job&)>& is_stopped_;
};

}  // namespace

std::optional<VariantPick> PickVariant(const Job& job, const NodeClasses& classes,
                                       Rankings& rankings, const std::set<NodeId>& closed,
                                       const NodeBits& preferred,
                                       const std::function<bool(const Job&)>& is_stopped) {
  std::set<NodeId> without_faults = NodesWithFaults(job);
  const bool any_faults = !without_faults.empty();
  without_faults.insert(closed.begin(), closed.end());
  const auto pick = [&](const JobSpec& variant, const std::set<NodeId>& left_out) {
    return Picker(job, classes, rankings, left_out, preferred, is_stopped).Pick(variant);
  };
  for (int i = 0; i < CountVariants(*job.spec); ++i) {
    const JobSpec variant = Variant(*job.spec, i);
    // Nodes that failed the job come last: it rather starts on fewer nodes.
    auto found = any_faults ? pick(variant, without_faults) : std::nullopt;
    if (!found) found = pick(variant, closed);
    if (!found) continue;
    found->variant = i;
    return found;
  }
  return std::nullopt;
}

}  // namespace gp
