#include "domain/model/ids.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kJobPrefix = "job-";
constexpr std::string_view kLeasePrefix = "lease-";
constexpr std::string_view kIncidentPrefix = "incident-";
constexpr std::string_view kTokenPrefix = "token-";
constexpr int kKeyDigitsMin = 4;
constexpr size_t kTextShown = 60;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Spell(std::string_view prefix, uint64_t value) {
  return std::string(prefix) + std::to_string(value);
}

std::string SpellKey(std::string_view prefix, uint64_t value) {
  return std::string(prefix) + ToBase32(value, kKeyDigitsMin);
}

std::optional<uint64_t> ParseKey(std::string_view prefix, std::string_view key) {
  return key.starts_with(prefix) ? FromBase32(key.substr(prefix.size())) : std::nullopt;
}

Error NamesNone(std::string_view prefix, std::string_view text) {
  const std::string kind(prefix.substr(0, prefix.size() - 1));
  return InvalidArgument("\"" + Printable(text, kTextShown) + "\" names no " + kind + ": write " +
                         kind + "-17");
}

// Only digits, with a leading zero: either an old id, or a new one with added zeros.
Error IsAmbiguous(std::string_view prefix, std::string_view text, uint64_t as_old) {
  const std::string_view digits = text.substr(prefix.size());
  const std::string as_new(
      digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1)));
  const std::string old = Spell(prefix, as_old);
  const std::string meant =
      old == std::string(prefix) + as_new
          ? old
          : old + ", if an earlier version has written it, or " + std::string(prefix) + as_new;
  return InvalidArgument("\"" + Printable(text, kTextShown) +
                         "\": ids have no leading zeros; write " + meant);
}

Result<uint64_t> Parse(std::string_view prefix, std::string_view text) {
  const auto as_old = ParseKey(prefix, text);
  // Decimal digits are also base-32 digits, so it is no decimal id either
  if (!as_old) return Fail(NamesNone(prefix, text));
  const std::string_view digits = text.substr(prefix.size());
  if (!std::ranges::all_of(digits, IsDigit)) return *as_old;
  if (digits.front() == '0' && digits != "0") return Fail(IsAmbiguous(prefix, text, *as_old));
  const auto value = ParseCount(digits);
  return value ? Result<uint64_t>(static_cast<uint64_t>(*value)) : Fail(NamesNone(prefix, text));
}

template <typename Id>
Result<Id> ParseAs(std::string_view prefix, std::string_view text) {
  return Id{GP_TRY(Parse(prefix, text))};
}

template <typename Id>
std::optional<Id> ParseKeyAs(std::string_view prefix, std::string_view key) {
  const auto value = ParseKey(prefix, key);
  return value ? std::optional(Id{*value}) : std::nullopt;
}

}  // namespace

std::string ToText(JobId id) { return Spell(kJobPrefix, id.value); }
std::string ToText(LeaseId id) { return Spell(kLeasePrefix, id.value); }
std::string ToText(IncidentId id) { return Spell(kIncidentPrefix, id.value); }
std::string ToText(TokenId id) { return Spell(kTokenPrefix, id.value); }

Result<JobId> ParseJobId(std::string_view text) { return ParseAs<JobId>(kJobPrefix, text); }
Result<LeaseId> ParseLeaseId(std::string_view text) { return ParseAs<LeaseId>(kLeasePrefix, text); }
Result<IncidentId> ParseIncidentId(std::string_view text) {
  return ParseAs<IncidentId>(kIncidentPrefix, text);
}
Result<TokenId> ParseTokenId(std::string_view text) { return ParseAs<TokenId>(kTokenPrefix, text); }

std::string KeyOf(JobId id) { return SpellKey(kJobPrefix, id.value); }
std::string KeyOf(LeaseId id) { return SpellKey(kLeasePrefix, id.value); }
std::optional<JobId> ParseJobKey(std::string_view key) {
  return ParseKeyAs<JobId>(kJobPrefix, key);
}
std::optional<LeaseId> ParseLeaseKey(std::string_view key) {
  return ParseKeyAs<LeaseId>(kLeasePrefix, key);
}

}  // namespace gp
