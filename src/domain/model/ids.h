#pragma once

// The ids of everything the ledger names.  People see job-17, lease-17, incident-17, token-17:
// decimal, no leading zeros.

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

// Earlier versions wrote ids in base 32 with four digits at least.  One of those that holds a
// letter is understood still (job-000h is job-17).  Errors: kInvalidArgument: it is none; or it
// begins with a zero and holds no letter, so that nobody knows which of the two is meant: both are
// named.
Result<JobId> ParseJobId(std::string_view text);
Result<LeaseId> ParseLeaseId(std::string_view text);
Result<IncidentId> ParseIncidentId(std::string_view text);
Result<TokenId> ParseTokenId(std::string_view text);

// What directories, control groups and attempts on a node are called: in base 32, as ever, so that
// an agent finds what an earlier version has begun.
std::string KeyOf(JobId id);
std::string KeyOf(LeaseId id);
std::optional<JobId> ParseJobKey(std::string_view key);
std::optional<LeaseId> ParseLeaseKey(std::string_view key);

}  // namespace gp
