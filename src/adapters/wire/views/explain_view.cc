#include "adapters/wire/views/explain_view.h"

#include "adapters/wire/job_spec.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

void ReasonView(const PendingReason& reason, v1::Reason* message) {
  message->set_kind(Name(reason.kind));
  message->set_code(reason.code);
  message->set_text(reason.text);
  message->set_nodes_able(reason.nodes_able);
  message->set_nodes_up(reason.nodes_up);
  message->set_nodes_now(reason.nodes_now);
  message->set_gpus_free(reason.gpus_free);
  message->set_gpus_asked(reason.gpus_asked);
}

void ChangeView(const State& state, const Change& change, v1::Change* message) {
  message->set_kind(Name(change.kind));
  message->set_text(change.text);
  if (change.spec != nullptr) ToProto(*change.spec, message->mutable_spec());
  message->set_queue(change.queue);
  for (const JobId job : change.interrupts) message->add_interrupts(NameOf(state, job));
  for (const JobId job : change.moves) message->add_moves(NameOf(state, job));
  for (const JobId job : change.waits_for) message->add_waits_for(NameOf(state, job));
  if (change.starts_by.ns != 0)
    message->set_starts_by(ToRfc3339(WallOf(state.time, change.starts_by)));
}

}  // namespace

void ExplanationView(const State& state, const Job& job, const Explanation& explanation,
                     v1::ExplainJobReply* message) {
  message->set_queue(job.queue);
  message->set_pool(job.pool);
  message->set_starts_now(explanation.place.has_value());
  if (explanation.place) message->set_placement(explanation.place->note);
  for (const PendingReason& reason : explanation.reasons)
    ReasonView(reason, message->add_reasons());
  if (explanation.ahead) message->set_ahead(*explanation.ahead);
  for (const std::string& node : explanation.kept_nodes) message->add_kept_nodes(node);
  if (explanation.starts_by.ns != 0)
    message->set_starts_by(ToRfc3339(WallOf(state.time, explanation.starts_by)));
  for (const Change& change : explanation.changes)
    ChangeView(state, change, message->add_changes());
  for (const Holder& holder : explanation.holders) {
    v1::JobHolder* one = message->add_holders();
    one->set_user(holder.user);
    one->set_queue(holder.queue);
    one->set_gpus(static_cast<double>(holder.share) / kWholeShare);
  }
}

void BlockedView(const Job& job, v1::ExplainJobReply* message) {
  message->set_queue(job.queue);
  message->set_pool(job.pool);
  v1::Reason* reason = message->add_reasons();
  reason->set_kind("after");
  reason->set_code("Dependency");
  reason->set_text(job.reason);
}

}  // namespace gp
