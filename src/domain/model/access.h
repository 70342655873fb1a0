#pragma once

// Who may do what: roles that were granted, secrets that stand for their users, and certificates by
// which nodes are known (docs/reference/access.md).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/job.h"

namespace gp {

// Each may do what those before it may.
enum class Role {
  kNone,      // nothing at all
  kViewer,    // see what there is
  kUser,      // run jobs
  kOperator,  // care for nodes and GPUs, and for everybody's jobs
  kAdmin,     // queues, limits, roles, tokens of others
};
const char* Name(Role role);
std::optional<Role> ParseRole(std::string_view text);

inline constexpr const char* kEverybody = "*";
// The name of a user, or kEverybody.
bool IsSubject(std::string_view text);
inline constexpr Role kRoleOfOthers = Role::kUser;  // of whom nobody has granted anything
inline constexpr size_t kRolesMax = 10'000;
inline constexpr size_t kRolesPerQueueMax = 1'000;
inline constexpr size_t kTokensMax = 10'000;
inline constexpr size_t kTokensPerUserMax = 100;
inline constexpr size_t kTokenLabelMax = 128;
inline constexpr size_t kTokenHashLength = 64;
inline constexpr size_t kCertifiedNodesMax = 100'000;
inline constexpr size_t kFingerprintLength = 64;
inline constexpr Duration kTokenLifeMax = Duration::Minutes(60 * 24 * 366);

// Of a user, or of everybody (kEverybody), in a queue and all below it; empty queue: everywhere.
struct RoleKey {
  std::string subject;
  std::string queue;
  auto operator<=>(const RoleKey&) const = default;
};

// A secret by which programs call as a user.  The secret itself nobody keeps.
struct AccessToken {
  TokenId id;
  std::string label;        // what it is for
  User user;                // whom it stands for
  Role most = Role::kUser;  // it gives no more than that
  std::string queue;        // and only in this queue and below; empty: everywhere
  std::string hash;         // SHA-256 of the secret, hexadecimal
  Instant issued_at;
  Instant expires_at;
  std::string issued_by;  // principal
  bool operator==(const AccessToken&) const = default;
};

// kInvalidArgument names the field and what it may be.
Status ValidateToken(const AccessToken& token, Instant now);

// By which the agent of a node is known where it comes over a network.
struct NodeCertificate {
  std::string fingerprint;  // SHA-256 of it, hexadecimal
  Instant expires_at;
  bool operator==(const NodeCertificate&) const = default;
};

struct Access {
  std::map<RoleKey, Role> roles;
  std::map<TokenId, AccessToken> tokens;
  // By the node's name: the newest last, and the one before it, with which the agent goes on until
  // it has the new one.
  std::map<std::string, std::vector<NodeCertificate>> nodes;
};

// kInvalidArgument names what is wrong: the name (as in a certificate, so more narrow than
// ValidateNodeFacts'), the fingerprint or the time.
Status ValidateNodeCertificate(const std::string& node, const NodeCertificate& certificate,
                               Instant now);

// Whether this certificate is one of the node's, and not over.
bool IsCertified(const Access& access, const std::string& node, std::string_view fingerprint,
                 Instant now);

// What was granted to the user itself counts before what was granted to everybody; of each the
// grant for the nearest queue at or above.  An admin above is one below.    `queue` empty: what
// holds everywhere.
Role RoleOf(const Access& access, std::string_view user, std::string_view queue);

}  // namespace gp
