#include "domain/model/ids.h"

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kJobPrefix = "job-";
constexpr std::string_view kLeasePrefix = "lease-";
constexpr std::string_view kIncidentPrefix = "incident-";
constexpr std::string_view kTokenPrefix = "token-";
constexpr int kDigitsMin = 4;

std::optional<uint64_t> ParseAfter(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return FromBase32(text.substr(prefix.size()));
}

}  // namespace

std::string ToText(JobId id) { return std::string(kJobPrefix) + ToBase32(id.value, kDigitsMin); }
std::string ToText(LeaseId id) { return std::string(kLeasePrefix) + ToBase32(id.value, kDigitsMin); }
std::string ToText(IncidentId id) { return std::string(kIncidentPrefix) + ToBase32(id.value, kDigitsMin); }
std::string ToText(TokenId id) { return std::string(kTokenPrefix) + ToBase32(id.value, kDigitsMin); }

std::optional<JobId> ParseJobId(std::string_view text) {
  const auto value = ParseAfter(kJobPrefix, text);
  return value ? std::optional(JobId{*value}) : std::nullopt;
}

std::optional<LeaseId> ParseLeaseId(std::string_view text) {
  const auto value = ParseAfter(kLeasePrefix, text);
  return value ? std::optional(LeaseId{*value}) : std::nullopt;
}

std::optional<IncidentId> ParseIncidentId(std::string_view text) {
  const auto value = ParseAfter(kIncidentPrefix, text);
  return value ? std::optional(IncidentId{*value}) : std::nullopt;
}

std::optional<TokenId> ParseTokenId(std::string_view text) {
  const auto value = ParseAfter(kTokenPrefix, text);
  return value ? std::optional(TokenId{*value}) : std::nullopt;
}

}  // namespace gp
