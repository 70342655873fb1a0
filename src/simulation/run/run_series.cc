#include "simulation/run/run_series.h"

#include <algorithm>

namespace gp {
namespace {

double Gpus(int64_t thousandths) { return static_cast<double>(thousandths) / kWholeShare; }

}  // namespace

void SeriesMeter::Extend(NodeLevel& node) const {
  node.held.Extend(last_, Gpus(node.level.held));
  node.serving.Extend(last_, static_cast<double>(node.level.serving));
}

void SeriesMeter::Observe(const State& state, Instant now) {
  if (!totals_) {
    begin_ = last_ = now;
    totals_.emplace(now);
  }
  levels_.Follow(state);
  for (const NodeId id : levels_.changed()) {
    const size_t at = id.value;
    while (nodes_.size() <= at)
      nodes_.emplace_back(state.nodes.all[nodes_.size()].facts->name, begin_);
    Extend(nodes_[at]);
    nodes_[at].level = levels_.by_node()[at];
  }
  last_ = now;
  const GpuLevel total = levels_.total();
  totals_->installed.Extend(now, static_cast<double>(total.installed));
  totals_->serving.Extend(now, static_cast<double>(total.serving));
  totals_->held.Extend(now, Gpus(total.held));
  totals_->waiting.Extend(now, static_cast<double>(state.jobs.queued.size()));
}

RunSeries SeriesMeter::Take(Instant end) {
  if (!totals_) return {};
  for (NodeLevel& node : nodes_) Extend(node);
  end = std::clamp(end, begin_, last_);
  RunSeries series{begin_,
                   end,
                   totals_->installed.span(),
                   totals_->installed.Means(end),
                   totals_->serving.Means(end),
                   totals_->held.Means(end),
                   totals_->waiting.Means(end),
                   {}};
  for (const NodeLevel& node : nodes_) {
    series.nodes.push_back(
        {node.name, node.level.installed, node.held.Means(end), node.serving.Means(end)});
  }
  return series;
}

}  // namespace gp
