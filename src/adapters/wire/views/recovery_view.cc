#include "adapters/wire/views/recovery_view.h"

#include "adapters/wire/views/views.h"
#include "base/text.h"
#include "base/units.h"

namespace gp {
namespace {

constexpr size_t kRefusedMax = 300;

}  // namespace

void CheckpointsView(const State& state, const Job& job, v1::Job* message) {
  Duration cost;
  for (const Checkpoint& checkpoint : job.checkpoints) {
    v1::Checkpoint* part = message->add_checkpoints();
    part->set_attempt(checkpoint.attempt);
    part->set_rank(checkpoint.rank);
    part->set_step(checkpoint.step);
    part->set_path(checkpoint.path);
    part->set_bytes(checkpoint.bytes);
    part->set_took_seconds(SecondsOf(checkpoint.took));
    part->set_complete(checkpoint.is_complete);
    part->set_fault(checkpoint.fault);
    part->set_at(TimeText(state, checkpoint.at));
    if (checkpoint.is_scored) part->set_score(static_cast<double>(checkpoint.score) / 1e9);
    if (checkpoint.took.ns > 0) cost = checkpoint.took;
  }
  if (cost.ns > 0)
    message->set_checkpoint_best_seconds(
        SecondsOf(BestInterval(cost, job.spec->resources.nodes, state.policy.node_mtbf)));
}

void ProgressView(const v1::LeaseProgress& progress, v1::Progress* message) {
  message->set_step(progress.step());
  message->set_steps(progress.steps());
  if (progress.at_ns() != 0) message->set_at(ToRfc3339(Instant{progress.at_ns()}, true));
  message->set_refused(Printable(progress.refused(), kRefusedMax));
  message->set_staging(Printable(progress.staging(), kRefusedMax));
  message->set_staged_bytes(progress.staged_bytes());
  message->set_staging_bytes(progress.staging_bytes());
  message->set_staged_layers(progress.staged_layers());
  message->set_staging_layers(progress.staging_layers());
  if (progress.staging_left_ms() > 0)
    message->set_staging_left_seconds(static_cast<double>(progress.staging_left_ms()) / 1e3);
}

}  // namespace gp
