// Admins at work: roles, tokens, certificates of nodes, and what was refused.

#include <array>

#include "tests/property/sequence.h"

namespace gp {

bool Sequence::StepOfAccess(uint64_t dice) {
  static constexpr std::array kSubjects = {"ana", "ben", kEverybody};
  const std::string subject = kSubjects[rng_.Below(kSubjects.size())];
  const std::string queue = rng_.Chance(1, 2) ? AnyQueue() : "";
  if (dice < 2)
    return Tell(GrantRole{subject, queue,
                          rng_.Chance(3, 4) ? std::optional(static_cast<Role>(rng_.Below(5)))
                                            : std::nullopt}) != nullptr;
  if (dice < 3)
    return Tell(RevokeToken{TokenId{rng_.Below(ledger_.state().access.last_token + 1) + 1}}) !=
           nullptr;
  if (dice < 5 && rng_.Chance(4, 5)) return StepOfCertificates();
  if (dice < 5 && rng_.Chance(1, 2))
    return Tell(NoteChange{"SetSecret", "KEY", "its own"}) != nullptr;
  if (dice < 5) return Tell(NoteRefusal{"SetQueue", "not an admin", rng_.Between(1, 9)}) != nullptr;
  AccessToken token;
  token.label = "sequence";
  token.user = {"ana", 1000, 1000};
  token.most = static_cast<Role>(rng_.Below(5));
  token.queue = queue;
  token.hash = std::string(kTokenHashLength, "0123456789abcdef"[rng_.Below(16)]);
  token.expires_at = now_ + Duration::Seconds(rng_.Between(-5, 300));
  return Tell(IssueToken{std::move(token)}) != nullptr;
}

bool Sequence::StepOfCertificates() {
  const std::string node = rng_.Chance(1, 2) ? "n1" : "n2";
  const auto some_fingerprint = [&] {
    return std::string(kFingerprintLength, "0123456789abcdef"[rng_.Below(4)]);
  };
  const auto some_token = [&] { return std::string(kTokenHashLength, "ab"[rng_.Below(2)]); };
  if (rng_.Chance(1, 3)) return Tell(RevokeNode{node}) != nullptr;
  if (rng_.Chance(1, 3)) {
    const NodeJoinToken token{some_token(), now_ + Duration::Seconds(rng_.Between(-5, 300)), ""};
    return Tell(IssueJoinToken{node, token}) != nullptr;
  }
  const NodeCertificate certificate{some_fingerprint(),
                                    now_ + Duration::Seconds(rng_.Between(-5, 300))};
  return Tell(CertifyNode{node, certificate, rng_.Chance(1, 2) ? some_fingerprint() : "",
                          rng_.Chance(1, 2) ? some_token() : ""}) != nullptr;
}

}  // namespace gp
