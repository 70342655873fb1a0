#pragma once

// The form of a token's secret, and its transport: after "Bearer " in the header or metadata
// "authorization".

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// Scanners for leaked secrets recognize this prefix.
inline constexpr std::string_view kSecretPrefix = "gpp_";
// Of a token that gets one node its certificate, once.
inline constexpr std::string_view kJoinTokenPrefix = "gpj_";
inline constexpr std::string_view kBearer = "Bearer ";

inline std::string AsBearer(std::string_view secret) {
  return std::string(kBearer) + std::string(secret);
}

// The secret in the header.  kUnauthenticated: another scheme.
inline Result<std::string_view> SecretOf(std::string_view authorization) {
  if (!authorization.starts_with(kBearer))
    return Fail(Unauthenticated("authorization: must be \"Bearer \" and the secret of a token"));
  return authorization.substr(kBearer.size());
}

}  // namespace gp
