#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/cluster/audit.h"

namespace gp {

// An entry as written; its hash covers the entry and the hash of the entry before.
struct WrittenAuditEntry {
  AuditEntry entry;
  std::string hash;  // 64 hexadecimal digits
};

struct AuditQuery {
  std::string user;       // empty: any
  std::string operation;  // empty: any
  std::string object;     // empty: any
  bool refused = false;   // refusals only
  uint64_t before = 0;    // only lower numbers; 0: from the newest
  size_t limit = 100;
};

// The record of who changed what.  It follows the journal: entries that a crash lost are written
// again at the next start, so that the trail has every entry exactly once.
class AuditTrail {
 public:
  virtual ~AuditTrail() = default;

  // Queues an entry.  One thread calls it, in the order of numbers.  Blocks only if very many
  // entries are pending.
  virtual void Write(AuditEntry entry) = 0;
  // Number of the last entry; 0: there is none.
  virtual uint64_t LastNumber() const = 0;
  // All entries up to this number would survive if the process ended now; UINT64_MAX: all entries.
  // Any thread.
  virtual uint64_t WrittenUntil() const = 0;
  // Newest first.  Any thread.  Errors: kInternal (the trail cannot be read; the message says
  // where).
  virtual Result<std::vector<WrittenAuditEntry>> Read(const AuditQuery& query) = 0;
};

}  // namespace gp
