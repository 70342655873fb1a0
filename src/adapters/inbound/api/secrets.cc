// What jobs are given by name, and nobody is shown.

#include <algorithm>

#include "adapters/inbound/api/control_api.h"
#include "base/text.h"
#include "domain/model/text_rules.h"

namespace gp {
namespace {

// Own ones by whoever runs jobs at all; a queue's by its admins.
Status CheckKeeps(const Caller& caller, const std::string& queue) {
  if (queue.empty() || caller.In(queue) >= Role::kAdmin) return Ok();
  return Fail(PermissionDenied("queue: " + caller.user.name + " has not the role admin in " + Printable(queue, 140) + " (gpu-platform whoami)"));
}

// Of a token that counts in one queue alone the user's own secrets are none of its business.
SecretOwner OwnerFor(const Caller& caller, const std::string& queue) { return queue.empty() ? SecretOwner{"", caller.user.name} : SecretOwner{queue, ""}; }

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

Status NoKeeper() { return Fail(Conflict("this controller keeps nothing on disk (serve --ephemeral), and so no secrets")); }

Status CheckValue(const std::string& value) {
  if (value.empty()) return Fail(InvalidArgument("value: is empty: delete the secret instead"));
  if (value.size() > kSecretBytesMax) return Fail(InvalidArgument("value: at most " + std::to_string(kSecretBytesMax) + " bytes"));
  if (value.find('\0') != std::string::npos) return Fail(InvalidArgument("value: has a zero byte, which no variable can have: encode it, as base64 does"));
  return Ok();
}

}  // namespace

Status ControlApi::ListSecrets(const Caller& caller, const v1::ListSecretsRequest&, v1::ListSecretsReply* reply) {
  if (about_.secrets != nullptr) FillSecrets(caller, *about_.secrets, reply);
  return Ok();
}

Status ControlApi::SetSecret(const Caller& caller, const v1::SetSecretRequest& request, v1::ListSecretsReply* reply) {
  if (about_.secrets == nullptr) return NoKeeper();
  if (const auto wrong = VariableNameFault(request.name())) return Fail(InvalidArgument("name: " + *wrong));
  GP_CHECK_OK(CheckValue(request.value()));
  GP_CHECK_OK(CheckKeeps(caller, request.queue()));
  bool is_queue = request.queue().empty();
  GP_CHECK_OK(gateway_.Read([&](const State& state) { is_queue = is_queue || state.queues.contains(request.queue()); }));
  if (!is_queue) return Fail(NotFound("queue: there is no queue " + Printable(request.queue(), 140) + " (gpu-platform queues list)"));
  const SecretOwner owner = OwnerFor(caller, request.queue());
  if (!MayName(caller, owner)) return Fail(PermissionDenied("queue: this token counts in " + caller.scope + " alone: name a queue there"));
  GP_CHECK_OK(about_.secrets->Set({owner, request.name(), gateway_.Now(), caller.user.name}, request.value()));
  const Outcome noted = gateway_.Execute(caller.AsOrigin(), "", NoteChange{"SetSecret", request.name(), request.queue().empty() ? "its own" : "queue " + request.queue()});
  if (!noted.status) return noted.status;
  FillSecrets(caller, *about_.secrets, reply);
  return Ok();
}

Status ControlApi::DeleteSecret(const Caller& caller, const v1::DeleteSecretRequest& request, v1::ListSecretsReply* reply) {
  if (about_.secrets == nullptr) return NoKeeper();
  GP_CHECK_OK(CheckKeeps(caller, request.queue()));
  const SecretOwner owner = OwnerFor(caller, request.queue());
  if (!MayName(caller, owner)) return Fail(PermissionDenied("queue: this token counts in " + caller.scope + " alone: name a queue there"));
  GP_CHECK_OK(about_.secrets->Delete(owner, request.name()));
  const Outcome noted = gateway_.Execute(caller.AsOrigin(), "", NoteChange{"DeleteSecret", request.name(), request.queue().empty() ? "its own" : "queue " + request.queue()});
  if (!noted.status) return noted.status;
  FillSecrets(caller, *about_.secrets, reply);
  return Ok();
}

Status ControlApi::CheckNamed(const Caller& caller, const JobSpec& spec) const {
  if (!spec.notify.to.empty()) {
    const std::vector<std::string> receivers = about_.receivers == nullptr ? std::vector<std::string>() : about_.receivers();
    for (const std::string& name : spec.notify.to) {
      if (std::ranges::find(receivers, name) != receivers.end()) continue;
      const std::string there_are = receivers.empty() ? "jobs may name none here" : "jobs may name " + Join(receivers, ", ");
      return Fail(InvalidArgument("notify.to: there is no receiver \"" + Printable(name, 60) + "\": " + there_are));
    }
  }
  // The queue of a job that names none is found out later: its secrets are looked for when it starts.
  const std::string& queue = spec.queue.empty() ? spec.project : spec.queue;
  for (const std::string& name : spec.secrets) {
    if (about_.secrets != nullptr && about_.secrets->Find(name, caller.user.name, queue)) continue;
    if (about_.secrets != nullptr && spec.queue.empty() && about_.secrets->Find(name, caller.user.name, kDefaultQueue)) continue;
    return Fail(InvalidArgument("secrets: there is no secret \"" + Printable(name, 60) + "\" for " + caller.user.name + " or its queue (gpu-platform secrets set " + Printable(name, 60) + ")"));
  }
  return Ok();
}

}  // namespace gp
