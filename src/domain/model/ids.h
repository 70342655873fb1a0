#pragma once

// The ids of everything in the ledger. Users see job-17, lease-17, incident-17, token-17: decimal,
// without leading zeros.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/result.h"

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

// Earlier versions wrote ids in base 32 with at least four digits. Such an id is still accepted if
// it contains a letter (job-000h is job-17). kInvalidArgument: the text is not an id; or it starts
// with a zero and contains no letter, so it could mean either: the message gives both.
Result<JobId> ParseJobId(std::string_view text);
Result<LeaseId> ParseLeaseId(std::string_view text);
Result<IncidentId> ParseIncidentId(std::string_view text);
Result<TokenId> ParseTokenId(std::string_view text);

// The name of directories, control groups and attempts on a node: in base 32, as in earlier
// versions, so that an agent finds what an earlier version started.
std::string KeyOf(JobId id);
std::string KeyOf(LeaseId id);
std::optional<JobId> ParseJobKey(std::string_view key);
std::optional<LeaseId> ParseLeaseKey(std::string_view key);

}  // namespace gp
