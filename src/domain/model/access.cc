#include "domain/model/access.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::array kNames = {"none", "viewer", "user", "operator", "admin"};

// The parent queue; empty (everywhere) for a top-level queue.
std::string_view Above(std::string_view queue) {
  const size_t slash = queue.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : queue.substr(0, slash);
}

std::optional<Role> NearestGrant(const Access& access, std::string_view subject,
                                 std::string_view queue) {
  while (true) {
    const auto found = access.roles.find({std::string(subject), std::string(queue)});
    if (found != access.roles.end()) return found->second;
    if (queue.empty()) return std::nullopt;
    queue = Above(queue);
  }
}

// In the queue or anywhere above it: an admin above is not locked out below.
bool IsAdminAbove(const Access& access, std::string_view subject, std::string_view queue) {
  while (true) {
    const auto found = access.roles.find({std::string(subject), std::string(queue)});
    if (found != access.roles.end() && found->second == Role::kAdmin) return true;
    if (queue.empty()) return false;
    queue = Above(queue);
  }
}

Status ValidateCertifiedName(const std::string& node) {
  if (IsHostName(node)) return Ok();
  return Fail(
      InvalidArgument("node: a name in a certificate has 1 to 253 letters, digits, dots, dashes "
                      "and underscores"));
}

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

const char* Name(Role role) { return kNames[static_cast<size_t>(role)]; }

std::optional<Role> ParseRole(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Role>(found - kNames.begin());
}

bool IsSubject(std::string_view text) {
  return !text.empty() && text.size() <= kNameLengthMax &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Role RoleOf(const Access& access, std::string_view user, std::string_view queue) {
  if (IsAdminAbove(access, user, queue)) return Role::kAdmin;
  if (const auto own = NearestGrant(access, user, queue)) return *own;
  return NearestGrant(access, kEverybody, queue).value_or(kRoleOfOthers);
}

Status ValidateNodeCertificate(const std::string& node, const NodeCertificate& certificate,
                               Instant now) {
  GP_CHECK_OK(ValidateCertifiedName(node));
  if (certificate.fingerprint.size() != kFingerprintLength ||
      !std::ranges::all_of(certificate.fingerprint, IsHex))
    return Fail(InvalidArgument("fingerprint: 64 hexadecimal digits"));
  if (certificate.expires_at <= now) return Fail(InvalidArgument("certificate: has expired"));
  return Ok();
}

Status ValidateJoinToken(const std::string& node, const NodeJoinToken& token, Instant now) {
  GP_CHECK_OK(ValidateCertifiedName(node));
  if (token.hash.size() != kTokenHashLength || !std::ranges::all_of(token.hash, IsHex))
    return Fail(InvalidArgument("hash: 64 hexadecimal digits"));
  if (token.expires_at <= now || token.expires_at > now + kJoinTokenLifeMax)
    return Fail(InvalidArgument("life: more than 0, at most " + ToText(kJoinTokenLifeMax)));
  return Ok();
}

bool MayJoin(const Access& access, const std::string& node, std::string_view hash, Instant now) {
  const auto found = access.join_tokens.find(node);
  return found != access.join_tokens.end() && found->second.hash == hash &&
         found->second.expires_at > now;
}

bool IsCertified(const Access& access, const std::string& node, std::string_view fingerprint,
                 Instant now) {
  const auto found = access.nodes.find(node);
  if (found == access.nodes.end()) return false;
  return std::ranges::any_of(found->second, [&](const NodeCertificate& one) {
    return one.fingerprint == fingerprint && one.expires_at > now;
  });
}

Status ValidateToken(const AccessToken& token, Instant now) {
  if (token.label.empty() || token.label.size() > kTokenLabelMax)
    return Fail(InvalidArgument("label: 1 to " + std::to_string(kTokenLabelMax) +
                                " characters that say what it is for"));
  if (token.hash.size() != kTokenHashLength || !std::ranges::all_of(token.hash, IsHex))
    return Fail(InvalidArgument("hash: 64 hexadecimal digits"));
  if (token.most == Role::kNone)
    return Fail(InvalidArgument("role: viewer, user, operator or admin"));
  if (token.expires_at <= now) return Fail(InvalidArgument("expires: must be later than now"));
  if (token.expires_at - now > kTokenLifeMax)
    return Fail(InvalidArgument("expires: at most 366 days from now"));
  return Ok();
}

}  // namespace gp
