#pragma once

#include <array>
#include <string>
#include <string_view>

namespace gp::rsh {

inline constexpr size_t kMacBytes = 32;

// HMAC-SHA256 (RFC 2104).
std::string Mac(std::string_view key, std::string_view bytes);

// Whether both are equal; the time tells nothing of where they differ.
bool AreEqual(std::string_view a, std::string_view b);

// Bytes from the kernel that nobody can guess; empty: it gave none.
std::string Nonce();

}  // namespace gp::rsh
