#pragma once

// Where it is written down who changed what.  It follows the journal: what a crash keeps from it is
// told again at the next start, so that it has every entry once.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/cluster/audit.h"

namespace gp {

// As it was written; each hash covers its entry and the hash before.
struct WrittenAuditEntry {
  AuditEntry entry;
  std::string hash;  // 64 hexadecimal digits
};

struct AuditQuery {
  std::string user;       // empty: anybody
  std::string operation;  // empty: any
  std::string object;     // empty: any
  bool refused = false;   // only refusals
  uint64_t before = 0;    // only of lower numbers; 0: the newest
  size_t limit = 100;
};

class AuditTrail {
 public:
  virtual ~AuditTrail() = default;

  // In the order of numbers, from one thread.  Waits only where very much is on its way.
  virtual void Write(AuditEntry entry) = 0;
  // Of the last entry; 0: there is none.
  virtual uint64_t LastNumber() const = 0;
  // No entry up to this number would have to be told again if the process ended now; UINT64_MAX:
  // none at all.  Any thread.
  virtual uint64_t WrittenUntil() const = 0;
  // The newest first.  Any thread.  kInternal: the trail cannot be read, and where.
  virtual Result<std::vector<WrittenAuditEntry>> Read(const AuditQuery& query) = 0;
};

}  // namespace gp
