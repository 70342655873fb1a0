#include "adapters/wire/views/array_view.h"

#include <algorithm>

#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/usage_view.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

v1::Elements CountsOf(const Array& array, const std::vector<const Job*>& known) {
  v1::Elements counts;
  const auto running = std::ranges::count_if(
      known, [](const Job* job) { return Shown(job->state) == ShownJobState::kRunning; });
  counts.set_count(array.count);
  counts.set_running(static_cast<int32_t>(running));
  counts.set_waiting(array.count - array.ended - counts.running());
  counts.set_completed(array.completed);
  counts.set_failed(array.failed);
  counts.set_cancelled(array.ended - array.completed - array.failed);
  return counts;
}

v1::JobState StateOf(const v1::Elements& counts, const Job* waiting) {
  if (counts.running() > 0) return v1::RUNNING;
  if (waiting != nullptr) return ToProto(Shown(waiting->state));
  if (counts.failed() > 0) return v1::FAILED;
  return counts.cancelled() > 0 ? v1::CANCELLED : v1::COMPLETED;
}

}  // namespace

void ArrayLine(const State& state, JobId array, Instant now, PendingReasons& reasons,
               v1::Job* message) {
  std::vector<const Job*> known;
  for (const JobId id : ElementsOf(state, array)) known.push_back(state.FindJob(id));
  const Job& job = *known.front();
  const v1::Elements counts = CountsOf(state.jobs.arrays.at(array), known);
  const auto waiting = std::ranges::find_if(
      known, [](const Job* one) { return !IsTerminal(one->state) && !HoldsLeases(one->state); });
  const Job* first_waiting = waiting == known.end() ? nullptr : *waiting;
  message->set_id(ToText(array));
  message->set_array_id(ToText(array));
  message->set_state(StateOf(counts, first_waiting));
  message->set_detail(v1::JobState_Name(message->state()));
  if (first_waiting != nullptr) {
    const ShownReason reason = ReasonOf(*first_waiting, reasons);
    message->set_reason(reason.text);
    message->set_reason_code(reason.code);
  }
  ToProto(*job.spec, message->mutable_spec());
  message->set_user(job.user.name);
  message->set_queue(job.queue);
  message->set_pool(job.pool);
  message->set_submitted_at(TimeText(state, job.submitted_at));
  *message->mutable_elements() = counts;
  JobsUseView(state, known, now, message);
}

}  // namespace gp
