#include "domain/cluster/apply/apply_parts.h"

namespace gp {

void IndexToken(State& state, const AccessToken& token) {
  state.access.token_ends.insert({token.expires_at, token.id});
}

void ApplyEvent(State& state, Instant, const RoleGranted& event) {
  const RoleKey key{event.subject, event.queue};
  if (event.role) state.access.roles[key] = *event.role;
  if (!event.role) state.access.roles.erase(key);
}

void ApplyEvent(State& state, Instant, const TokenIssued& event) {
  state.access.last_token = event.token.id.value;
  IndexToken(state, event.token);
  state.access.tokens.emplace(event.token.id, event.token);
}

void ApplyEvent(State& state, Instant, const TokenEnded& event) {
  const auto found = state.access.tokens.find(event.token);
  state.access.token_ends.erase({found->second.expires_at, event.token});
  state.access.tokens.erase(found);
}

void ApplyEvent(State& state, Instant, const NodeCertified& event) {
  std::vector<NodeCertificate>& certificates = state.access.nodes[event.name];
  if (certificates.size() > 1) certificates.erase(certificates.begin(), certificates.end() - 1);
  certificates.push_back(event.certificate);
}

void ApplyEvent(State& state, Instant, const NodeRevoked& event) {
  state.access.nodes.erase(event.name);
}

void ApplyEvent(State& state, Instant, const JoinTokenIssued& event) {
  state.access.join_tokens[event.name] = event.token;
}

void ApplyEvent(State& state, Instant, const JoinTokenEnded& event) {
  state.access.join_tokens.erase(event.name);
}

void ApplyEvent(State& state, Instant at, const RequestAnswered& event) {
  state.requests.Remember(event.key, {event.digest, at});
}

void ApplyEvent(State&, Instant, const AccessRefused&) {}

void ApplyEvent(State&, Instant, const ChangeNoted&) {}

}  // namespace gp
