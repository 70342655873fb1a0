// Roles, tokens, certificates of nodes.

#include <algorithm>

#include "domain/cluster/decide/decide_parts.h"

namespace gp {
namespace {

// By one command: more of them end with the next ones.
constexpr size_t kJoinTokensEndedMax = 100;

std::string Everywhere(const std::string& queue) {
  return queue.empty() ? "everywhere" : "in " + queue;
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope&, const GrantRole& command) {
  const RoleKey key{command.subject, command.queue};
  if (!IsSubject(command.subject))
    return Fail(InvalidArgument("subject: the name of a user, or * for everybody"));
  if (!command.queue.empty() && !state.queues.all.contains(command.queue))
    return Fail(NotFound("no queue " + command.queue));
  const auto present = state.access.roles.find(key);
  const bool is_there = present != state.access.roles.end();
  if (command.role ? is_there && present->second == *command.role : !is_there) return Events{};
  if (command.role && !is_there && state.access.roles.size() >= kRolesMax)
    return Fail(Conflict("there are " + std::to_string(kRolesMax) + " roles: take one away first"));
  const auto is_of_queue = [&](const auto& entry) { return entry.first.queue == command.queue; };
  if (command.role && !is_there &&
      std::ranges::count_if(state.access.roles, is_of_queue) >=
          static_cast<std::ptrdiff_t>(kRolesPerQueueMax)) {
    return Fail(Conflict("there are " + std::to_string(kRolesPerQueueMax) +
                         " roles in this queue: take one away first"));
  }
  return Events{RoleGranted{command.subject, command.queue, command.role}};
}
AuditWords WordsFor(const State&, const Events&, const GrantRole& command) {
  return {"GrantRole", command.subject,
          (command.role ? Name(*command.role) : std::string("granted role removed")) + " " +
              Everywhere(command.queue)};
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const IssueToken& command) {
  AccessToken token = command.token;
  token.id = TokenId{state.access.last_token + 1};
  token.issued_at = WallOf(state.time, envelope.at);
  token.issued_by = envelope.origin.principal;
  GP_CHECK_OK(ValidateToken(token, token.issued_at));
  if (!token.queue.empty() && !state.queues.all.contains(token.queue))
    return Fail(NotFound("no queue " + token.queue));
  const auto is_same = [&](const auto& entry) { return entry.second.user.uid == token.user.uid; };
  const auto of_user = std::ranges::count_if(state.access.tokens, is_same);
  if (of_user >= static_cast<std::ptrdiff_t>(kTokensPerUserMax) ||
      state.access.tokens.size() >= kTokensMax) {
    return Fail(Conflict(token.user.name + " has " + std::to_string(of_user) +
                         " tokens: revoke one first"));
  }
  const auto has_hash = [&](const auto& entry) { return entry.second.hash == token.hash; };
  if (std::ranges::any_of(state.access.tokens, has_hash))
    return Fail(Conflict("this secret is in use"));
  return Events{TokenIssued{std::move(token)}};
}
AuditWords WordsFor(const State&, const Events& events, const IssueToken& command) {
  const auto* issued = events.empty() ? nullptr : std::get_if<TokenIssued>(&events.front());
  const AccessToken& token = command.token;
  return {"IssueToken", issued == nullptr ? "" : ToText(issued->token.id),
          token.label + ": " + token.user.name + " as " + Name(token.most) + " " +
              Everywhere(token.queue) + " until " + ToRfc3339(token.expires_at)};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const RevokeToken& command) {
  if (!state.access.tokens.contains(command.token))
    return Fail(NotFound("no token " + ToText(command.token)));
  return Events{TokenEnded{command.token}};
}
AuditWords WordsFor(const State&, const Events&, const RevokeToken& command) {
  return {"RevokeToken", ToText(command.token), ""};
}

void EndAccess(const State& state, const std::string& queue, Events& events) {
  for (const auto& [key, role] : state.access.roles) {
    if (key.queue == queue) events.push_back(RoleGranted{key.subject, key.queue, std::nullopt});
  }
  for (const auto& [id, token] : state.access.tokens) {
    if (token.queue == queue) events.push_back(TokenEnded{id});
  }
}

// A join token lets an agent add a new node, but not impersonate a present one.
Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const CertifyNode& command) {
  const NodeCertificate& certificate = command.certificate;
  const Instant now = WallOf(state.time, envelope.at);
  GP_CHECK_OK(ValidateNodeCertificate(command.name, certificate, now));
  if (!command.join_token.empty() && !MayJoin(state.access, command.name, command.join_token, now))
    return Fail(Unauthenticated("this join token of node " + command.name +
                                " was used, replaced or has expired"));
  const auto present = state.access.nodes.find(command.name);
  const bool is_there = present != state.access.nodes.end();
  const auto counts = [&](const NodeCertificate& one) { return one.expires_at > now; };
  const bool is_known = is_there && std::ranges::any_of(present->second, counts);
  if (is_known && !IsCertified(state.access, command.name, command.shown, now)) {
    return Fail(Conflict("node " + command.name +
                         " has a certificate, but this agent does not present it. If it was "
                         "lost: gpu-platform nodes revoke " +
                         command.name));
  }
  const auto here = state.nodes.by_name.find(command.name);
  if (!is_known && here != state.nodes.by_name.end() &&
      state.FindNode(here->second)->condition == NodeCondition::kUp) {
    return Fail(Conflict("node " + command.name +
                         " is here, and has no certificate: stop its agent first"));
  }
  if (!is_there && state.access.nodes.size() >= kCertifiedNodesMax)
    return Fail(Conflict("there are certificates for " + std::to_string(kCertifiedNodesMax) +
                         " nodes: revoke some first"));
  Events events{NodeCertified{command.name, certificate}};
  if (!command.join_token.empty()) events.push_back(JoinTokenEnded{command.name});
  return events;
}
AuditWords WordsFor(const State&, const Events&, const CertifyNode& command) {
  return {"CertifyNode", command.name,
          "sha256:" + command.certificate.fingerprint + " until " +
              ToRfc3339(command.certificate.expires_at) +
              (!command.shown.empty()       ? ", by the one before"
               : command.join_token.empty() ? ", by the join token"
                                            : ", by its single-use join token")};
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const IssueJoinToken& command) {
  NodeJoinToken issued = command.token;
  issued.issued_by = envelope.origin.principal;
  const Instant now = WallOf(state.time, envelope.at);
  GP_CHECK_OK(ValidateJoinToken(command.name, issued, now));
  const auto present = state.access.nodes.find(command.name);
  const auto counts = [&](const NodeCertificate& one) { return one.expires_at > now; };
  if (present != state.access.nodes.end() && std::ranges::any_of(present->second, counts))
    return Fail(Conflict("node " + command.name +
                         " has a certificate. If it was lost: gpu-platform nodes revoke " +
                         command.name + ", and then its join token"));
  Events events;
  for (const auto& [name, one] : state.access.join_tokens) {
    if (one.expires_at <= now && name != command.name && events.size() < kJoinTokensEndedMax)
      events.push_back(JoinTokenEnded{name});
  }
  const bool is_another = !state.access.join_tokens.contains(command.name);
  if (is_another && state.access.join_tokens.size() - events.size() >= kJoinTokensMax)
    return Fail(Conflict("there are " + std::to_string(kJoinTokensMax) +
                         " join tokens: wait until some have expired"));
  events.push_back(JoinTokenIssued{command.name, std::move(issued)});
  return events;
}
AuditWords WordsFor(const State&, const Events&, const IssueJoinToken& command) {
  return {"IssueJoinToken", command.name, "until " + ToRfc3339(command.token.expires_at)};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const RevokeNode& command) {
  Events events;
  const bool may_join = state.access.join_tokens.contains(command.name);
  if (state.access.nodes.contains(command.name)) events.push_back(NodeRevoked{command.name});
  if (events.empty() && !may_join)
    return Fail(NotFound("node " + command.name + " has no certificate"));
  if (may_join) events.push_back(JoinTokenEnded{command.name});
  return events;
}
AuditWords WordsFor(const State&, const Events&, const RevokeNode& command) {
  return {"RevokeNode", command.name, ""};
}

// What is remembered is the request of its envelope (decide.cc).
Result<Events> DecideCommand(const State&, const Envelope&, const RememberRequest&) {
  return Events{};
}

// The last two change nothing: the audit alone reads them.

Result<Events> DecideCommand(const State&, const Envelope&, const NoteRefusal& command) {
  return Events{AccessRefused{command.operation, command.why, command.times}};
}
AuditWords WordsFor(const State&, const Events&, const NoteRefusal& command) {
  return {command.operation, "", ""};
}

Result<Events> DecideCommand(const State&, const Envelope&, const NoteChange& command) {
  return Events{ChangeNoted{command.operation, command.target}};
}
AuditWords WordsFor(const State&, const Events&, const NoteChange& command) {
  return {command.operation, command.target, command.details};
}

}  // namespace gp
