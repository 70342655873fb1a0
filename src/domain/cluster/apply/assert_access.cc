#include "base/assert.h"
#include "domain/cluster/apply/assert_parts.h"

namespace gp {

void CheckBefore(const State&, const RoleGranted& event) {
  GP_ASSERT(!event.subject.empty(), "a role has a subject");
}
void CheckAfter(const State& state, const RoleGranted& event) {
  GP_ASSERT(state.access.roles.contains({event.subject, event.queue}) == event.role.has_value(),
            "a role is granted or taken away");
}

void CheckBefore(const State& state, const TokenIssued& event) {
  GP_ASSERT(event.token.id.value > state.access.last_token, "a token's id is never given twice");
}
void CheckAfter(const State& state, const TokenIssued& event) {
  GP_ASSERT(state.access.tokens.contains(event.token.id), "a token that was issued is known");
}

void CheckBefore(const State& state, const TokenEnded& event) {
  GP_ASSERT(state.access.tokens.contains(event.token), "only a known token ends");
}
void CheckAfter(const State& state, const TokenEnded& event) {
  GP_ASSERT(!state.access.tokens.contains(event.token), "a token ends once");
}

void CheckBefore(const State&, const NodeCertified& event) {
  GP_ASSERT(!event.name.empty(), "a certificate names its node");
}
void CheckAfter(const State& state, const NodeCertified& event) {
  const size_t certificates = state.access.nodes.at(event.name).size();
  GP_ASSERT(certificates == 1 || certificates == 2, "a node has its newest two certificates");
}

void CheckBefore(const State&, const NodeRevoked& event) {
  GP_ASSERT(!event.name.empty(), "a revocation names its node");
}
void CheckAfter(const State& state, const NodeRevoked& event) {
  GP_ASSERT(!state.access.nodes.contains(event.name), "a revoked node has no certificate");
}

void CheckBefore(const State&, const JoinTokenIssued& event) {
  GP_ASSERT(event.token.hash.size() == kTokenHashLength, "a join token is kept as its digest");
}
void CheckAfter(const State& state, const JoinTokenIssued& event) {
  GP_ASSERT(state.access.join_tokens.at(event.name) == event.token, "the newest one counts");
}

void CheckBefore(const State& state, const JoinTokenEnded& event) {
  GP_ASSERT(state.access.join_tokens.contains(event.name), "what ends was there");
}
void CheckAfter(const State& state, const JoinTokenEnded& event) {
  GP_ASSERT(!state.access.join_tokens.contains(event.name), "a join token that has ended is gone");
}

void CheckBefore(const State&, const RequestAnswered& event) {
  GP_ASSERT(event.key.find('\n') != std::string::npos, "an answered request has a principal");
}
void CheckAfter(const State& state, const RequestAnswered& event) {
  GP_ASSERT(state.requests.answered.contains(event.key), "an answered request is remembered");
}

// The last two change nothing: the audit alone reads them.

void CheckBefore(const State&, const AccessRefused& event) {
  GP_ASSERT(event.times > 0, "what is noted has happened");
}
void CheckAfter(const State&, const AccessRefused&) {}

void CheckBefore(const State&, const ChangeNoted& event) {
  GP_ASSERT(!event.operation.empty(), "a note names its operation");
}
void CheckAfter(const State&, const ChangeNoted&) {}

}  // namespace gp
