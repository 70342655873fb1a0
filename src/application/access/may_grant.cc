#include "application/access/may_grant.h"

namespace gp {
namespace {

// Whether the caller uses a token without the role admin everywhere.  Such a token must not create
// anything that allows more than the token itself.
bool IsNarrow(const Caller& caller) {
  return caller.token.value != 0 && caller.In("") < Role::kAdmin;
}

}  // namespace

// A token never allows more than its user has when it is used, so issuing one gains nothing.
Status CheckMayIssue(const Caller& caller, const AccessToken& token) {
  const bool is_own = caller.Owns(token.user);
  if (!is_own && caller.In("") < Role::kAdmin)
    return Fail(PermissionDenied("user: only an admin issues tokens for others"));
  if (!is_own && IsSuperuser(token.user) && !caller.is_superuser)
    return Fail(PermissionDenied(
        "user: only root, or the user that the controller runs as, issues tokens for these"));
  if (IsNarrow(caller))
    return Fail(
        PermissionDenied("a token issues no tokens: ask the controller's socket, or as an admin"));
  if (is_own && !caller.HasSomewhere(token.most))
    return Fail(PermissionDenied("role: " + caller.user.name + " lacks the role " +
                                 Name(token.most) + " itself"));
  return Ok();
}

Status CheckMayGrant(const Caller& caller, const std::string& queue) {
  if (caller.In(queue) < Role::kAdmin) {
    return Fail(PermissionDenied("queue: " + caller.user.name + " lacks the role admin " +
                                 (queue.empty() ? "everywhere" : "in " + queue)));
  }
  if (IsNarrow(caller))
    return Fail(PermissionDenied(
        "this token grants no roles: ask the controller's socket, or as an admin"));
  return Ok();
}

bool MayRevoke(const Caller& caller, const AccessToken& token) {
  if (caller.In("") >= Role::kAdmin) return true;
  return caller.Owns(token.user) && (!IsNarrow(caller) || caller.token == token.id);
}

}  // namespace gp
