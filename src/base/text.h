#pragma once

// Text functions that several layers need: ids as people type them, suggestions for misspelled
// names, quantities with units.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// Crockford base 32, lower case, no padding: 0 -> "0", 1234 -> "16j".  At least `digits_min` long.
std::string ToBase32(uint64_t value, int digits_min = 1);
// Accepts either case and Crockford's look-alikes (o, i, l).  nullopt: an invalid character.
std::optional<uint64_t> FromBase32(std::string_view text);

// Two lower-case hexadecimal digits per byte.
std::string ToHex(std::span<const unsigned char> bytes);

// Levenshtein distance, for "did you mean".
int EditDistance(std::string_view a, std::string_view b);
// The candidate nearest to `word`, if `word` is likely a misspelling of it.
std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> candidates);

// Compares numbers inside texts as numbers: "n2" comes before "n10".
bool NaturalLess(const std::string& a, const std::string& b);

// RFC 4648, with padding.
std::string ToBase64(std::string_view bytes);

// 1 to 253 letters, digits, dots, dashes and underscores.
bool IsHostName(std::string_view text);

// Whether jobs may report a metric of this name: letters, digits and _ . / -
inline constexpr size_t kMetricNameMax = 64;
bool IsMetricName(std::string_view name);
std::vector<std::string> Split(std::string_view text, char separator);
std::string Join(std::span<const std::string> parts, std::string_view separator);

// A decimal integer without sign or leading zeros, and with nothing after it.
Result<int64_t> ParseCount(std::string_view text);
// "80GB", "80GiB", "512MiB", "1.5GB" or plain bytes -> bytes.  Fails on signs and overflow.
Result<int64_t> ParseBytes(std::string_view text);
// "90s", "15m", "1d12h", "250ms".  A number without a unit is refused.
Result<Duration> ParseDuration(std::string_view text);
// "1 GPU", "2 GPUs": a number and a noun in the singular or plural.
std::string Count(int64_t count, std::string_view noun);
// Bytes as "71.2 GiB".
std::string BytesToText(int64_t bytes);

// Makes text of unknown origin safe for a terminal or a log line: control and other deceptive
// characters (utf8.h), and bytes that are no UTF-8 become \xNN; what follows `length_max` bytes
// becomes "…".
std::string Printable(std::string_view text, size_t length_max = 200);

}  // namespace gp
