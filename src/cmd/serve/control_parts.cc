#include "cmd/serve/control_parts.h"

#include <pthread.h>

#include "base/ignore_result.h"
#include "cmd/output.h"
#include "cmd/serve/controller_settings.h"

namespace gp {
namespace {

static_assert(kExitDeposed == kExitConflict, "one exit status for what another holds already");

// Where a core has several hardware threads, the writer's thread does not interrupt the thread that
// woke it: that thread sends its answer first, and planning comes after. A submit is acknowledged a
// tenth of a millisecond sooner.
void LetOthersFinish() {
  const sched_param no_priority{};
  IgnoreResult(pthread_setschedparam(pthread_self(), SCHED_BATCH, &no_priority),
               "the scheduling of before stays");
}

}  // namespace

Status RecoveryPart::Start() {
  ControlOptions options;
  options.policy = config_.policy;
  // What its own journal lost, the shared log has, unless this controller created it.
  options.begin_lineage = journal_.is_cut() && !lead_.has_older_log();
  options.formats = config_.formats;
  options.leadership = lead_.leadership();
  if (lead_.is_shared()) options.format_of_all = [this] { return lead_.FormatOfAllSeen(); };
  if (lead_.is_shared()) options.accepts_jobs = [this] { return lead_.AcceptsJobs(); };
  options.audit = records_.audit();
  options.log = &log_;
  options.keep_journal = config_.keep_journal;
  options.begin_thread = LetOthersFinish;
  std::optional<Recovered> state = lead_.TakeState();
  auto loop = state ? ControlLoop::Open(lead_.journal(), clock_, options, *std::move(state))
                    : ControlLoop::Open(lead_.journal(), clock_, options);
  if (!loop)
    return Fail(loop.error().Within(
        lead_.is_shared()
            ? "recovery"
            : "recovery (serve --keep-sound-prefix continues with the undamaged records)"));
  loop_ = *std::move(loop);
  return journal_.AcceptLoss();
}

Status NodesPart::Start() {
  nodes_ = std::make_unique<NodeConnections>(recovery_.loop());
  recovery_.loop().AddObserver(nodes_.get());
  return Ok();
}

}  // namespace gp
