#include "domain/scheduling/pick_variant.h"

#include <algorithm>
#include <utility>

#include "domain/model/variants.h"

namespace gp {
namespace {

Job As(const Job& job, const JobSpec& variant, int nodes) {
  Job as = job;
  JobSpec spec = variant;
  spec.nodes = nodes;
  spec.nodes_min = 0;
  as.spec = std::make_shared<const JobSpec>(std::move(spec));
  return as;
}

// The most nodes, up to `most`, with which no limit stops it; 0: not even the least.
int MostAllowed(const Job& job, const JobSpec& variant, int most, const std::function<bool(const Job&)>& is_stopped) {
  int good = LeastNodes(variant) - 1;
  int bad = most + 1;
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (is_stopped(As(job, variant, middle)) ? bad : good) = middle;
  }
  return good < LeastNodes(variant) ? 0 : good;
}

}  // namespace

std::optional<VariantPick> PickVariant(const Job& job, const NodeClasses& classes, std::map<JobShape, ShapeRanking>& rankings,
                                       const std::set<NodeId>& closed, const std::function<bool(const Job&)>& is_stopped) {
  for (int i = 0; i < CountVariants(*job.spec); ++i) {
    const JobSpec variant = Variant(*job.spec, i);
    // One ranking for all sizes but one node, which needs nothing in common with others.
    const Job widest = As(job, variant, variant.nodes);
    ShapeRanking& ranking = rankings[ShapeOf(widest)];
    const auto fit = static_cast<int64_t>(ranking.CountMost(classes, widest, closed));
    const int most = static_cast<int>(std::min<int64_t>(fit, variant.nodes));
    if (most < LeastNodes(variant)) continue;
    const int nodes = MostAllowed(job, variant, most, is_stopped);
    if (nodes == 0) continue;
    Job as = As(job, variant, nodes);
    ShapeRanking& ranking_of_size = nodes == 1 ? rankings[ShapeOf(as)] : ranking;
    if (auto pick = ranking_of_size.Find(classes, as, closed)) return VariantPick{i, std::move(as), *std::move(pick)};
  }
  return std::nullopt;
}

}  // namespace gp
