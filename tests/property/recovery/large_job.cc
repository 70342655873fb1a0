#include "tests/property/recovery/large_job.h"

#include <algorithm>

namespace gp {

LargeJobFigures RunLargeJob(const LargeJobSetting& setting, std::vector<std::string>& broken) {
  Fleet fleet(setting.fleet);
  LargeJobFigures figures;
  const Instant begin = fleet.now();
  const Instant end = begin + setting.length;
  const Duration to_checkpoint = setting.checkpoint_every + setting.checkpoint_cost;
  const JobId job = fleet.Submit(setting.nodes);
  Instant saved_at;  // the next checkpoint is written; ns == 0: the job does not run
  const auto place = [&] {
    if (!fleet.Pass().empty()) saved_at = fleet.now() + setting.start_time + to_checkpoint;
  };
  place();
  while (fleet.now() < end && fleet.broken().empty()) {
    Instant next = std::min(end, fleet.NextAt());
    if (saved_at.ns != 0) next = std::min(next, saved_at);
    fleet.Advance(next);
    if (saved_at == next) {
      figures.useful = figures.useful + setting.checkpoint_every;
      fleet.Save(job);
      saved_at = next + to_checkpoint;
    }
    if (!fleet.Act().empty()) saved_at = {};
    place();
  }
  figures.elapsed = fleet.now() - begin;
  figures.fleet = fleet.figures();
  broken = fleet.broken();
  return figures;
}

}  // namespace gp
