// Roles and tokens.

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/peer.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/access_view.h"
#include "application/access/may_grant.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr Duration kTokenLife = Duration::Minutes(60 * 24 * 30);
constexpr Duration kJoinTokenLife = Duration::Minutes(30);

Result<AccessToken> TokenOf(const Caller& caller, Instant now,
                            const v1::IssueTokenRequest& request) {
  AccessToken token;
  token.label = Printable(request.label(), kTokenLabelMax);
  token.user = request.user().empty() ? caller.user : GP_TRY(NamedUser(request.user()));
  if (!request.role().empty()) token.most = GP_TRY(RoleNamed(request.role()));
  token.queue = request.queue();
  if (request.life_ms() < 0) return Fail(InvalidArgument("life_ms: must not be negative"));
  token.expires_at =
      now + (request.life_ms() == 0 ? kTokenLife
                                    : std::min(FromMilliseconds(request.life_ms()),
                                               kTokenLifeMax + Duration::Minutes(1)));
  return token;
}

}  // namespace

Status ControlApi::WhoAmI(const Caller& caller, const v1::WhoAmIRequest&, v1::WhoAmIReply* reply) {
  reply->set_user(caller.user.name);
  reply->set_uid(caller.user.uid);
  reply->set_role(Name(caller.In("")));
  for (const auto& [key, granted] : caller.access->roles) {
    const bool is_meant = key.subject == caller.user.name || key.subject == kEverybody;
    const Role role = caller.In(key.queue);
    if (is_meant && !key.queue.empty() && role != caller.In(""))
      GrantView({caller.user.name, key.queue}, role, reply->add_grants());
  }
  if (caller.token.value == 0) return Ok();
  const AccessToken& token = caller.access->tokens.at(caller.token);
  reply->set_token(ToText(token.id));
  reply->set_token_queue(token.queue);
  reply->set_token_expires_at(ToRfc3339(token.expires_at));
  return Ok();
}

Status ControlApi::FillRoles(v1::ListRolesReply* reply) {
  return gateway_.Read([&](const State& state) {
    for (const auto& [key, role] : state.access.roles) GrantView(key, role, reply->add_grants());
    reply->set_others(Name(kRoleOfOthers));
  });
}

Status ControlApi::ListRoles(const Caller&, const v1::ListRolesRequest&,
                             v1::ListRolesReply* reply) {
  return FillRoles(reply);
}

Status ControlApi::GrantRole(const Caller& caller, const v1::GrantRoleRequest& request,
                             v1::ListRolesReply* reply) {
  GP_CHECK_OK(CheckMayGrant(caller, request.queue()));
  gp::GrantRole command{request.subject(), request.queue(), std::nullopt};
  if (!request.role().empty()) command.role = GP_TRY(RoleNamed(request.role()));
  const Outcome outcome = Execute(caller, std::move(command));
  return outcome.status ? FillRoles(reply) : outcome.status;
}

Status ControlApi::FillTokens(const Caller& caller, bool all, v1::ListTokensReply* reply) {
  return gateway_.Read([&](const State& state) {
    for (const auto& [id, token] : state.access.tokens) {
      if (all || caller.Owns(token.user)) TokenView(token, reply->add_tokens());
    }
  });
}

Status ControlApi::ListTokens(const Caller& caller, const v1::ListTokensRequest& request,
                              v1::ListTokensReply* reply) {
  if (request.all() && caller.In("") < Role::kAdmin)
    return Fail(PermissionDenied("all: only an admin sees the tokens of others"));
  return FillTokens(caller, request.all(), reply);
}

Status ControlApi::IssueToken(const Caller& caller, const v1::IssueTokenRequest& request,
                              v1::IssueTokenReply* reply) {
  AccessToken token = GP_TRY(TokenOf(caller, gateway_.WallNow(), request));
  GP_CHECK_OK(CheckMayIssue(caller, token));
  const std::string secret = std::string(kSecretPrefix) + GP_TRY(NewSecret());
  token.hash = Sha256(secret);
  const Outcome outcome = Execute(caller, gp::IssueToken{std::move(token)});
  if (!outcome.status) return outcome.status;
  if (outcome.events.empty())
    return Fail(
        Conflict("request id: this token was issued, and its secret is shown only with the "
                 "first answer: revoke it and issue another one"));
  GP_CHECK_OK(gateway_.AwaitObservers());  // one of them is the access guard
  reply->set_secret(secret);
  TokenView(std::get<TokenIssued>(outcome.events.front()).token, reply->mutable_token());
  return Ok();
}

Status ControlApi::RevokeToken(const Caller& caller, const v1::RevokeTokenRequest& request,
                               v1::ListTokensReply* reply) {
  const auto id = ParseTokenId(request.id());
  if (!id) return Fail(id.error().Within("id"));
  const bool is_admin = caller.In("") >= Role::kAdmin;
  bool may = is_admin || GP_TRY(IsRepeated(caller));  // also a token that is gone
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const auto found = state.access.tokens.find(*id);
    may = may || (found != state.access.tokens.end() && MayRevoke(caller, found->second));
  }));
  if (!may) return Fail(NotFound("no token " + ToText(*id)));
  const Outcome outcome = Execute(caller, gp::RevokeToken{*id});
  // The read of the reply comes after the access guard has forgotten the token.
  return outcome.status ? FillTokens(caller, is_admin, reply) : outcome.status;
}

Status ControlApi::IssueJoinToken(const Caller& caller, const v1::IssueJoinTokenRequest& request,
                                  v1::IssueJoinTokenReply* reply) {
  if (request.life_ms() < 0) return Fail(InvalidArgument("life_ms: must not be negative"));
  const Duration life = request.life_ms() == 0 ? kJoinTokenLife
                                               : std::min(FromMilliseconds(request.life_ms()),
                                                          kJoinTokenLifeMax + Duration::Minutes(1));
  const std::string secret = std::string(kJoinTokenPrefix) + GP_TRY(NewSecret());
  const NodeJoinToken token{Sha256(secret), gateway_.WallNow() + life, ""};
  const Outcome outcome = Execute(caller, gp::IssueJoinToken{request.node(), token});
  if (!outcome.status) return outcome.status;
  if (outcome.events.empty())
    return Fail(
        Conflict("request id: this join token was issued, and its secret is shown only with the "
                 "first answer: issue another one"));
  GP_CHECK_OK(gateway_.AwaitObservers());  // one of them is the access guard
  reply->set_node(request.node());
  reply->set_secret(secret);
  reply->set_expires_at(ToRfc3339(token.expires_at));
  return Ok();
}

Status ControlApi::RevokeNode(const Caller& caller, const v1::RevokeNodeRequest& request,
                              v1::Cluster* reply) {
  const Outcome outcome = Execute(caller, gp::RevokeNode{request.node()});
  // As in RevokeToken.
  return outcome.status ? FillCluster({}, reply) : outcome.status;
}

}  // namespace gp
