#pragma once

// The audit: every change that a user requested, and every refusal, derived from the journal's
// records.  Automatic decisions of the controller are not in it; incidents and events report those.

#include <cstdint>
#include <optional>
#include <string>

#include "domain/cluster/codec/codec.h"
#include "domain/cluster/state/state.h"

namespace gp {

struct AuditEntry {
  uint64_t number = 0;    // of the record
  std::string at;         // RFC 3339, UTC, with milliseconds
  std::string user;       // empty: unknown
  std::string from;       // "unix", "127.0.0.1:40312"
  std::string operation;  // "SubmitJob"
  std::string object;     // "job-5", "dgx-1", "dgx-1[3]", "research"
  std::string details;    // never a secret
  bool refused = false;
  std::string why;    // of the refusal
  int64_t times = 1;  // how often in a row
  bool operator==(const AuditEntry&) const = default;
};

// The operation of the entry for a journal that lost its end and continues after this number.
inline constexpr const char* kJournalCut = "JournalCut";

// Whether the record belongs in the audit: a user, or whoever asked for access, changed something.
bool IsAudited(const Record& record);

// `state` may be of any time after the record: it provides names, which never change.  REQUIRES:
// IsAudited.
AuditEntry AuditOf(const State& state, uint64_t number, const Record& record);

}  // namespace gp
