#include "simulation/world/clients.h"

#include <utility>

namespace gp {

void Clients::Submit(size_t job) {
  const JobPlan& plan = plan_.jobs[job];
  const auto outcome = controllers_.Execute(
      "user:" + plan.user.name, "request-" + std::to_string(job), SubmitJob{plan.spec, plan.user});
  const bool is_known = outcome && outcome->status;
  if (is_known) watch_.Acknowledged(job, outcome->job);
  if (outcome && !outcome->status && outcome->status.error().code == ErrorCode::kInvalidArgument) {
    return findings_.Break(timeline_.now(),
                           "a legal job is refused: " + outcome->status.error().message);
  }
  // Sometimes the answer is lost.
  if (!is_known || rng_.Chance(1, 12))
    timeline_.After(Duration::Milliseconds(rng_.Between(100, 3'000)), [this, job] { Submit(job); });
}

void Clients::Insist(const std::string& principal, Command command,
                     std::function<void(const Outcome&)> answered) {
  Ask({principal, ClientRequest("change-" + std::to_string(++changes_)), std::move(command),
       std::move(answered)});
}

void Clients::Ask(Change change) {
  const auto outcome = controllers_.Execute(change.principal, change.request, change.command);
  if (outcome && change.is_answered && outcome->status && !outcome->events.empty())
    findings_.Break(timeline_.now(), change.request.id + " is carried out twice");
  if (outcome && !change.is_answered && change.answered) change.answered(*outcome);
  // Sometimes the answer is lost.
  const bool is_repeated = outcome && !change.is_answered && outcome->status && rng_.Chance(1, 12);
  if (outcome && !is_repeated) return;
  change.is_answered |= outcome.has_value();
  timeline_.After(Duration::Milliseconds(rng_.Between(100, 3'000)),
                  [this, change = std::move(change)] { Ask(change); });
}

void Clients::Stop(size_t job, bool force) {
  for (const JobId id : watch_.IdsOf(job)) {
    watch_.StopRequested(id);
    Insist("user:" + plan_.jobs[job].user.name, StopJob{id, force},
           [this, id](const Outcome& outcome) {
             if (outcome.status) watch_.StopAcknowledged(id);
           });
  }
}

void Clients::Hold(size_t job, Duration lasts) {
  const std::string principal = "user:" + plan_.jobs[job].user.name;
  for (const JobId id : watch_.IdsOf(job)) {
    Insist(principal, HoldJob{id}, [this, id, principal, lasts](const Outcome& outcome) {
      if (!outcome.status) return;
      watch_.HoldAcknowledged(id, true);
      timeline_.After(lasts, [this, id, principal] {
        watch_.HoldAcknowledged(id, false);
        Insist(principal, ReleaseJob{id});
      });
    });
  }
}

void Clients::SetPriority(size_t job, int priority) {
  for (const JobId id : watch_.IdsOf(job)) Insist("user:root", gp::SetPriority{id, priority, true});
}

}  // namespace gp
