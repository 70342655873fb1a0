#include "adapters/wire/views/outlook_view.h"

#include <algorithm>

#include "adapters/wire/views/queue_views.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

constexpr size_t kNamed = 16;  // nodes or jobs that a row names

double GpuHoursFor(int64_t share, Duration length) {
  return GpuHours(share * length.ToMilliseconds());
}

}  // namespace

void ForecastView(const State& state, const Forecast& forecast, v1::Forecast* message) {
  const TimeLine& time = state.time;
  message->set_text(forecast.text);
  if (forecast.earliest) message->set_earliest(ToRfc3339(WallOf(time, *forecast.earliest)));
  if (forecast.median) message->set_median(ToRfc3339(WallOf(time, *forecast.median)));
  if (forecast.latest) message->set_latest(ToRfc3339(WallOf(time, *forecast.latest)));
  message->set_plays(forecast.plays);
  message->set_alike(static_cast<int64_t>(forecast.alike));
  message->set_by_limits(forecast.by_limits);
  for (const JobId job : forecast.endless) message->add_endless(NameOf(state, job));
}

void CostView(const Cost& cost, v1::JobCost* message) {
  message->set_text(cost.text);
  if (cost.source != LengthSource::kNothing) {
    message->set_gpu_hours_low(GpuHoursFor(cost.share, cost.shortest));
    message->set_gpu_hours(GpuHoursFor(cost.share, cost.median));
    message->set_gpu_hours_high(GpuHoursFor(cost.share, cost.longest));
  }
  for (const Allowance& allowance : cost.allowances) {
    v1::GpuHourLimit* limit = message->add_limits();
    limit->set_queue(allowance.queue);
    limit->set_user(allowance.user);
    limit->set_used(GpuHours(allowance.used));
    limit->set_limit(GpuHours(allowance.limit));
  }
}

void NodeTableView(const State& state, const std::vector<NodeRow>& table,
                   v1::ExplainJobReply* message) {
  for (const NodeRow& row : table) {
    v1::NodeRow* one = message->add_nodes();
    for (size_t i = 0; i < std::min(row.nodes.size(), kNamed); ++i)
      one->add_nodes(state.FindNode(row.nodes[i])->facts->name);
    one->set_count(static_cast<int64_t>(row.nodes.size()));
    one->set_gpus_free(row.gpus_free);
    one->set_gpus(row.gpus);
    one->set_fits(row.fits);
    one->set_takes_rank(row.takes_rank);
    one->set_why(row.why);
    for (size_t i = 0; i < std::min(row.holders.size(), kNamed); ++i)
      one->add_holders(NameOf(state, row.holders[i]));
    one->set_holder_count(static_cast<int64_t>(row.holders.size()));
  }
}

}  // namespace gp
