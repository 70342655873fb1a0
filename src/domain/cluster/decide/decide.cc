#include "domain/cluster/decide/decide.h"

#include "domain/cluster/decide/decide_parts.h"

namespace gp {
namespace {

// Jobs remember the ids of the requests that submitted them themselves, as long as they are known.
bool IsAnsweredOnce(const Envelope& envelope) {
  return !envelope.request.id.empty() && !std::holds_alternative<SubmitJob>(envelope.command);
}

}  // namespace

Result<bool> IsRepeated(const State& state, Instant at, const Origin& origin,
                        const ClientRequest& request) {
  if (request.id.empty()) return false;
  const AnsweredRequest* before =
      state.requests.Find(AnsweredKey(origin.principal, request.id), at);
  if (before == nullptr) return false;
  if (before->digest == request.digest) return true;
  return Fail(Conflict("request id: was used for another request"));
}

Result<std::vector<Event>> Decide(const State& state, const Envelope& envelope) {
  const bool is_answered_once = IsAnsweredOnce(envelope);
  if (is_answered_once && GP_TRY(IsRepeated(state, envelope.at, envelope.origin, envelope.request)))
    return Events{};
  Events events = GP_TRY(std::visit(
      [&](const auto& c) { return DecideCommand(state, envelope, c); }, envelope.command));
  if (is_answered_once)
    events.push_back(RequestAnswered{AnsweredKey(envelope.origin.principal, envelope.request.id),
                                     envelope.request.digest});
  return events;
}

}  // namespace gp
