#include "application/access/access_guard.h"

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/event_traits.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

bool IsRefusal(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kUnauthenticated;
}

}  // namespace

Caller AccessGuard::CallerOf(const std::shared_ptr<const View>& view, User user, std::string from) {
  Caller caller;
  caller.is_superuser = IsSuperuser(user);
  caller.user = std::move(user);
  caller.from = std::move(from);
  caller.access = {view, &view->access};
  return caller;
}

Result<Caller> AccessGuard::ByKernel(User user, std::string from) {
  return CallerOf(GP_TRY(Look()), std::move(user), std::move(from));
}

Result<Caller> AccessGuard::BySecret(std::string_view secret, std::string from) {
  const auto view = GP_TRY(Look());
  const auto found = view->tokens.find(Sha256(secret));
  if (found == view->tokens.end())
    return Fail(Unauthenticated("this token is not known, or was revoked"));
  const AccessToken& token = view->access.tokens.at(found->second);
  if (token.expires_at <= gateway_.WallNow())
    return Fail(Unauthenticated(ToText(token.id) + " ended at " + ToRfc3339(token.expires_at) +
                                ": issue another one"));
  // The token was found in this same view
  Caller caller = CallerOf(view, token.user, std::move(from));
  caller.token = token.id;
  caller.most = token.most;
  caller.scope = token.queue;
  return caller;
}

Status AccessGuard::CheckNode(const std::string& node, std::string_view fingerprint) {
  const auto view = GP_TRY(Look());
  if (IsCertified(view->access, node, fingerprint, gateway_.WallNow())) return Ok();
  return Fail(Unauthenticated("this certificate of node " + Printable(node, 60) +
                              " is not known here, or was revoked; to join again, remove "
                              "identity.pem in the agent's state directory and restart the agent"));
}

Status AccessGuard::CheckJoinToken(const std::string& node, std::string_view hash) {
  const auto view = GP_TRY(Look());
  if (MayJoin(view->access, node, hash, gateway_.WallNow())) return Ok();
  return Fail(Unauthenticated("this is no join token of node " + Printable(node, 60) +
                              ", or it was used, replaced or has expired: gpu-platform nodes "
                              "join-token makes another one"));
}

Status AccessGuard::Answer(const Result<Caller>& caller, const std::string& from,
                           std::string_view operation,
                           const std::function<Status(const Caller&)>& answer) {
  Status status = caller ? Admit(operations_, *caller, operation) : Fail(caller.error());
  if (status) status = answer(*caller);
  if (!status)
    NoteRefusal(caller ? caller->AsOrigin() : Origin("unknown", from), operation, status.error());
  return status;
}

void AccessGuard::NoteRefusal(const Origin& origin, std::string_view operation, const Error& why) {
  if (IsRefusal(why)) refusals_.Note(origin, operation, why.message);
}

void AccessGuard::OnCommit(const State& state, const CommittedRecords& committed) {
  const auto changes_access = [](const Event& event) { return Has(event, kChangesAccess); };
  if (std::ranges::any_of(committed.events, changes_access)) Take(state);
  refusals_.Flush();
}

Result<std::shared_ptr<const AccessGuard::View>> AccessGuard::Look() {
  const std::lock_guard lock(mutex_);
  if (view_ == nullptr) return Fail(Unavailable("the controller is starting"));
  return view_;
}

// Runs on the writer's thread, so a view is never replaced by an older one.
void AccessGuard::Take(const State& state) {
  auto view = std::make_shared<View>(View{state.access, {}});
  for (const auto& [id, token] : view->access.tokens) view->tokens.emplace(token.hash, id);
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
}

}  // namespace gp
