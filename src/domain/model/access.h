#pragma once

// Access control: granted roles, secrets that stand for users, and the certificates of nodes
// (docs/reference/access.md).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/jobs/job.h"

namespace gp {

// Each role includes all roles before it.
enum class Role {
  kNone,      // nothing at all
  kViewer,    // see what there is
  kUser,      // run jobs
  kOperator,  // manage nodes and GPUs, and the jobs of all users
  kAdmin,     // queues, limits, roles, tokens of others
};
const char* Name(Role role);
std::optional<Role> ParseRole(std::string_view text);

inline constexpr const char* kEverybody = "*";
// Whether the text is a user name or kEverybody.
bool IsSubject(std::string_view text);
inline constexpr Role kRoleOfOthers = Role::kUser;  // without a grant
inline constexpr size_t kRolesMax = 10'000;
inline constexpr size_t kRolesPerQueueMax = 1'000;
inline constexpr size_t kTokensMax = 10'000;
inline constexpr size_t kTokensPerUserMax = 100;
inline constexpr size_t kTokenLabelMax = 128;
inline constexpr size_t kTokenHashLength = 64;
inline constexpr size_t kCertifiedNodesMax = 100'000;
inline constexpr size_t kFingerprintLength = 64;
inline constexpr size_t kJoinTokensMax = 10'000;
inline constexpr Duration kJoinTokenLifeMax = Duration::Minutes(60 * 24 * 7);
inline constexpr Duration kTokenLifeMax = Duration::Minutes(60 * 24 * 366);

// The key of a grant: a user or kEverybody, in a queue and all below it; empty queue: everywhere.
struct RoleKey {
  std::string subject;
  std::string queue;
  auto operator<=>(const RoleKey&) const = default;
};
GP_FIELDS(RoleKey, v.subject, v.queue)

// A secret with which programs act as a user. The secret itself is not stored.
struct AccessToken {
  TokenId id;
  std::string label;        // what it is for
  User user;                // that it stands for
  Role most = Role::kUser;  // highest role that it gives
  std::string queue;        // only in this queue and below; empty: everywhere
  std::string hash;         // SHA-256 of the secret, hexadecimal
  Instant issued_at;
  Instant expires_at;
  std::string issued_by;  // principal
  bool operator==(const AccessToken&) const = default;
};
GP_FIELDS(AccessToken, v.id, v.label, v.user, v.most, v.queue, v.hash, v.issued_at, v.expires_at,
          v.issued_by)

// kInvalidArgument: the message says which field is wrong and what is allowed.
Status ValidateToken(const AccessToken& token, Instant now);

// Identifies the agent of a node that connects over a network.
struct NodeCertificate {
  std::string fingerprint;  // SHA-256 of the certificate, hexadecimal
  Instant expires_at;
  bool operator==(const NodeCertificate&) const = default;
};
GP_FIELDS(NodeCertificate, v.fingerprint, v.expires_at)

// A secret that gets one node its first certificate, once.  The secret itself is not stored.
struct NodeJoinToken {
  std::string hash;  // SHA-256 of the secret, hexadecimal
  Instant expires_at;
  std::string issued_by;  // principal
  bool operator==(const NodeJoinToken&) const = default;
};
GP_FIELDS(NodeJoinToken, v.hash, v.expires_at, v.issued_by)

// kInvalidArgument: the message names the wrong field.
Status ValidateJoinToken(const std::string& node, const NodeJoinToken& token, Instant now);

// `token_ends` is an index: it follows from `tokens`.
struct Access {
  uint64_t last_token = 0;  // the highest token id that was given
  std::map<RoleKey, Role> roles;
  std::map<TokenId, AccessToken> tokens;
  // By node name, the newest last. The previous certificate stays valid until the agent has the new
  // one.
  std::map<std::string, std::vector<NodeCertificate>> nodes;
  std::set<std::pair<Instant, TokenId>> token_ends;
  std::map<std::string, NodeJoinToken> join_tokens;  // by node name; also expired ones
};
GP_FIELDS(Access, v.roles, v.tokens, v.nodes, Since<21>(v.join_tokens))

// kInvalidArgument: the message names the wrong field. The name must be valid in a certificate, so
// its rule is stricter than that of ValidateNodeFacts.
Status ValidateNodeCertificate(const std::string& node, const NodeCertificate& certificate,
                               Instant now);

// Whether the certificate is one of the node's and has not expired.
bool IsCertified(const Access& access, const std::string& node, std::string_view fingerprint,
                 Instant now);

// Whether the digest is that of the node's join token, and it has not expired.
bool MayJoin(const Access& access, const std::string& node, std::string_view hash, Instant now);

// A grant to the user overrides a grant to everybody; among each, the grant for the nearest queue
// at or above decides. An admin of a queue above is an admin below. Empty `queue`: the role that
// applies everywhere.
Role RoleOf(const Access& access, std::string_view user, std::string_view queue);

}  // namespace gp
