#pragma once

// Audit entries as lines of JSON.  Each line has the SHA-256 of the previous hash and of its own
// text, so that a changed, removed or inserted line breaks the chain (docs/formats/audit.md).

#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/outbound/audit_trail.h"

namespace gp {

inline const std::string kFirstHash(64, '0');  // before the first entry

struct ChainedLine {
  std::string text;  // without the line break
  std::string hash;
};
ChainedLine AuditLine(const AuditEntry& entry, const std::string& hash_before);
// kInvalidArgument: not such a line.  Does not check the hash.
Result<WrittenAuditEntry> ParseAuditLine(std::string_view line);
// The hash that this line must have after a line with the hash `hash_before`.
Result<std::string> HashOf(std::string_view line, const std::string& hash_before);

}  // namespace gp
