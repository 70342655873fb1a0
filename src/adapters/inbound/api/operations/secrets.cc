// Secrets: jobs receive them by name, and nobody can read them.

#include <algorithm>

#include "adapters/inbound/api/control_api.h"
#include "base/text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// Every caller may set its own secrets; a queue's secrets need the role admin in the queue.
Status CheckKeeps(const Caller& caller, const std::string& queue) {
  if (queue.empty() || caller.In(queue) >= Role::kAdmin) return Ok();
  return Fail(PermissionDenied("queue: " + caller.user.name + " lacks the role admin in " +
                               Printable(queue, 140) + " (gpu-platform whoami)"));
}

// The queue that is named, or else the caller.
SecretOwner OwnerFor(const Caller& caller, const std::string& queue) {
  return queue.empty() ? SecretOwner{"", caller.user.name} : SecretOwner{queue, ""};
}

// A token that is limited to a queue must not reach its user's own secrets.
bool MayName(const Caller& caller, const SecretOwner& owner) {
  if (!owner.queue.empty()) return caller.In(owner.queue) >= Role::kUser;
  return owner.user == caller.user.name && caller.scope.empty();
}

void FillSecrets(const Caller& caller, const SecretKeeper& keeper, v1::ListSecretsReply* reply) {
  for (const SecretFacts& facts : keeper.List()) {
    if (!MayName(caller, facts.owner)) continue;
    v1::Secret* one = reply->add_secrets();
    one->set_name(facts.name);
    one->set_queue(facts.owner.queue);
    one->set_user(facts.owner.user);
    one->set_changed_at(ToRfc3339(facts.changed_at));
    one->set_changed_by(facts.changed_by);
  }
}

Status NoKeeper() {
  return Fail(
      Conflict("this controller keeps nothing on disk (serve --ephemeral), and so no secrets"));
}

Status CheckValue(const std::string& value) {
  if (value.empty()) return Fail(InvalidArgument("value: is empty: delete the secret instead"));
  if (value.size() > kSecretBytesMax)
    return Fail(InvalidArgument("value: at most " + std::to_string(kSecretBytesMax) + " bytes"));
  if (value.find('\0') != std::string::npos)
    return Fail(InvalidArgument(
        "value: has a zero byte, which no variable can have: encode it, as base64 does"));
  return Ok();
}

Status CheckReceivers(const std::vector<std::string>& names,
                      const std::vector<std::string>& receivers) {
  for (const std::string& name : names) {
    if (std::ranges::find(receivers, name) != receivers.end()) continue;
    const std::string there_are =
        receivers.empty() ? "jobs may name none here" : "jobs may name " + Join(receivers, ", ");
    return Fail(InvalidArgument("notify.to: there is no receiver \"" + Printable(name, 60) +
                                "\": " + there_are));
  }
  return Ok();
}

// Whose secrets the job may have, for messages.
std::string WhoseSecrets(const std::string& owner, const JobSpec& spec, const std::string& queue) {
  return spec.program.shared_secrets_only
             ? "queue " + Printable(queue, 140) + ", and this token has no others"
             : owner + " or queue " + Printable(queue, 140);
}

// `keeper`: nullptr: there are no secrets.  `queue`: the job's.
Status CheckSecrets(const SecretKeeper* keeper, const std::string& owner, const JobSpec& spec,
                    const std::string& queue) {
  const std::string user = spec.program.shared_secrets_only ? "" : owner;
  size_t bytes = 0;
  for (const std::string& name : SecretsOf(spec)) {
    const auto value = keeper == nullptr ? std::nullopt : keeper->Find(name, user, queue);
    if (!value)
      return Fail(InvalidArgument(
          KeyThatNames(name, spec) + ": there is no secret \"" + Printable(name, 60) + "\" of " +
          WhoseSecrets(owner, spec, queue) + " (gpu-platform secrets list)"));
    bytes += value->size();
  }
  if (bytes <= kSecretBytesOfJobMax) return Ok();
  return Fail(InvalidArgument("secrets: those of one job have at most " +
                              std::to_string(kSecretBytesOfJobMax) + " bytes together, not " +
                              std::to_string(bytes)));
}

}  // namespace

Status ControlApi::ListSecrets(const Caller& caller, const v1::ListSecretsRequest&,
                               v1::ListSecretsReply* reply) {
  if (about_.secrets != nullptr) FillSecrets(caller, *about_.secrets, reply);
  return Ok();
}

Status ControlApi::SetSecret(const Caller& caller, const v1::SetSecretRequest& request,
                             v1::ListSecretsReply* reply) {
  if (about_.secrets == nullptr) return NoKeeper();
  if (const auto wrong = VariableNameFault(request.name()))
    return Fail(InvalidArgument("name: " + *wrong));
  GP_CHECK_OK(CheckValue(request.value()));
  GP_CHECK_OK(CheckKeeps(caller, request.queue()));
  bool is_queue = request.queue().empty();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    is_queue = is_queue || state.queues.all.contains(request.queue());
  }));
  if (!is_queue)
    return Fail(NotFound("queue: there is no queue " + Printable(request.queue(), 140) +
                         " (gpu-platform queues list)"));
  const SecretOwner owner = OwnerFor(caller, request.queue());
  if (!MayName(caller, owner))
    return Fail(PermissionDenied("queue: this token counts in " + caller.scope +
                                 " alone: name a queue there"));
  // First, so that the audit has the change even if the controller dies now
  GP_CHECK_OK(NoteSecret(caller, "SetSecret", request.name(), request.queue()));
  GP_CHECK_OK(about_.secrets->Set({owner, request.name(), gateway_.WallNow(), caller.user.name},
                                  request.value()));
  FillSecrets(caller, *about_.secrets, reply);
  return Ok();
}

Status ControlApi::DeleteSecret(const Caller& caller, const v1::DeleteSecretRequest& request,
                                v1::ListSecretsReply* reply) {
  if (about_.secrets == nullptr) return NoKeeper();
  GP_CHECK_OK(CheckKeeps(caller, request.queue()));
  const SecretOwner owner = OwnerFor(caller, request.queue());
  if (!MayName(caller, owner))
    return Fail(PermissionDenied("queue: this token counts in " + caller.scope +
                                 " alone: name a queue there"));
  if (!GP_TRY(IsRepeated(caller))) {
    GP_CHECK_OK(NoteSecret(caller, "DeleteSecret", request.name(), request.queue()));
    GP_CHECK_OK(about_.secrets->Delete(owner, request.name()));
    GP_CHECK_OK(Execute(caller, RememberRequest{}).status);
  }
  FillSecrets(caller, *about_.secrets, reply);
  return Ok();
}

Status ControlApi::NoteSecret(const Caller& caller, const std::string& operation,
                              const std::string& name, const std::string& queue) {
  return gateway_
      .Execute(caller.AsOrigin(), "",
               NoteChange{operation, Printable(name, 140),
                          queue.empty() ? "its own" : "queue " + Printable(queue, 140)})
      .status;
}

// A new queue of the same name must not get the old secrets.
Status ControlApi::DropSecretsOf(const Caller& caller, const std::string& queue) {
  if (about_.secrets == nullptr) return Ok();
  for (const SecretFacts& facts : about_.secrets->List()) {
    if (facts.owner.queue != queue || queue.empty()) continue;
    GP_CHECK_OK(NoteSecret(caller, "DeleteSecret", facts.name, queue));
    GP_CHECK_OK(about_.secrets->Delete(facts.owner, facts.name));
  }
  return Ok();
}

Status ControlApi::CheckNamed(const Caller& caller, const JobSpec& spec) {
  if (!spec.notify.to.empty()) {
    const std::vector<std::string> receivers =
        about_.receivers == nullptr ? std::vector<std::string>() : about_.receivers();
    GP_CHECK_OK(CheckReceivers(spec.notify.to, receivers));
  }
  if (SecretsOf(spec).empty()) return Ok();
  std::string queue;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { queue = QueueFor(state, spec); }));
  return CheckSecrets(about_.secrets, caller.user.name, spec, queue);
}

Status ControlApi::CheckSecretsIn(const std::string& queue, const Job& job) {
  if (SecretsOf(*job.spec).empty()) return Ok();
  return CheckSecrets(about_.secrets, job.user.name, *job.spec, queue);
}

}  // namespace gp
