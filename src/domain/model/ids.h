#pragma once

// The ids of everything the ledger names, and their spelling for people: job-0001, lease-0001,
// incident-0001, token-0001.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"

namespace gp {

using JobId = Id<struct JobIdTag, uint64_t>;
using LeaseId = Id<struct LeaseIdTag, uint64_t>;
using IncidentId = Id<struct IncidentIdTag, uint64_t>;
using TokenId = Id<struct TokenIdTag, uint64_t>;
using NodeId = Id<struct NodeIdTag, uint32_t>;

std::string ToText(JobId id);
std::string ToText(LeaseId id);
std::string ToText(IncidentId id);
std::string ToText(TokenId id);
std::optional<JobId> ParseJobId(std::string_view text);
std::optional<LeaseId> ParseLeaseId(std::string_view text);
std::optional<IncidentId> ParseIncidentId(std::string_view text);
std::optional<TokenId> ParseTokenId(std::string_view text);

}  // namespace gp
