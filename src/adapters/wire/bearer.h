#pragma once

// How the secret of a token looks, and how it travels: behind "Bearer " in the header or metadata
// "authorization".

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// What looks for leaked secrets finds it by this
inline constexpr std::string_view kSecretPrefix = "gpp_";
inline constexpr std::string_view kBearer = "Bearer ";

inline std::string AsBearer(std::string_view secret) {
  return std::string(kBearer) + std::string(secret);
}

// kUnauthenticated: it is something else.
inline Result<std::string_view> SecretOf(std::string_view authorization) {
  if (!authorization.starts_with(kBearer))
    return Fail(Unauthenticated("authorization: must be \"Bearer \" and the secret of a token"));
  return authorization.substr(kBearer.size());
}

}  // namespace gp
