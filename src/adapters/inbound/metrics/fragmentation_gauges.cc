#include "adapters/inbound/metrics/fragmentation_gauges.h"

#include "domain/defragmenting/fragmentation.h"

namespace gp {
namespace {

double InGpus(int64_t thousandths) { return static_cast<double>(thousandths) / kWholeShare; }

}  // namespace

std::vector<MetricFamily> FragmentationGauges(const State& state) {
  NodeClasses classes;
  for (const Node& node : state.nodes.all) classes.Place(node);
  FragmentationMeter meter(state, classes);
  SeriesValues free;
  SeriesValues by_pool;
  SeriesValues by_queue;
  for (const auto& [pool, gpus] : state.nodes.capacity) {
    const Fragmentation found = meter.OfPool(pool);
    free[{{"pool", pool}}] = static_cast<double>(found.free);
    if (found.is_known) by_pool[{{"pool", pool}}] = InGpus(found.stranded);
  }
  for (const auto& [name, queue] : state.queues.all) {
    const Fragmentation found = meter.OfQueue(name);
    if (found.is_known) by_queue[{{"pool", queue.pool}, {"queue", name}}] = InGpus(found.stranded);
  }
  constexpr auto kGauge = MetricType::kGauge;
  return {
      Family("gpu_platform_gpus_free", "Whole GPUs that are free and may be granted", kGauge, free),
      Family("gpu_platform_gpus_stranded", "Free GPUs that the jobs of the pool could not use",
             kGauge, by_pool),
      Family("gpu_platform_queue_gpus_stranded",
             "Free GPUs of its pool that the jobs of the queue and queues below it could not use",
             kGauge, by_queue)};
}

}  // namespace gp
