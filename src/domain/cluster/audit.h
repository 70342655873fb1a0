#pragma once

// What is told of a record of the journal to whoever asks who changed what: every change that a
// user asked for, and every refusal.  What the controller decides by itself is not in it; incidents
// and events tell of that.

#include <cstdint>
#include <optional>
#include <string>

#include "domain/cluster/codec.h"
#include "domain/cluster/state.h"

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
  std::string why;    // it was refused
  int64_t times = 1;  // in a row
  bool operator==(const AuditEntry&) const = default;
};

// The operation of an entry that says: the journal lost its end, and goes on behind this number.
inline constexpr const char* kJournalCut = "JournalCut";

// Whether there is anything to tell.
bool IsAudited(const Envelope& envelope);

// `state` is of any time after the record: it lends names, which never change.  REQUIRES:
// IsAudited.
AuditEntry AuditOf(const State& state, uint64_t number, const Record& record);

}  // namespace gp
