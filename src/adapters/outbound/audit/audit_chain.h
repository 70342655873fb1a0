#pragma once

// How entries look as lines of JSON, each with the SHA-256 of the hash before it and of its own
// text: whoever changes, removes or inserts one breaks the chain (docs/formats/audit.md).

#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/outbound/audit_trail.h"

namespace gp {

inline const std::string kFirstHash(64, '0');  // before the first entry

struct ChainedLine {
  std::string text;  // without the end of the line
  std::string hash;
};
ChainedLine AuditLine(const AuditEntry& entry, const std::string& hash_before);
// kInvalidArgument: it is not such a line.  Whether its hash is right, nobody has looked.
Result<WrittenAuditEntry> ParseAuditLine(std::string_view line);
// The hash that the line must have behind that one.
Result<std::string> HashOf(std::string_view line, const std::string& hash_before);

}  // namespace gp
