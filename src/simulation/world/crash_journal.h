#pragma once

// A journal on a virtual disk that outlives its controller.  It keeps what was synced and nothing
// else, and it is where controllers die: every effect on the outside comes after an append.

#include "adapters/outbound/memory/memory_journal.h"
#include "simulation/world/controller_crash.h"

namespace gp {

class CrashJournal : public MemoryJournal {
 public:
  Status Append(std::span<const std::string> records) override;

  // At the next append.
  void CrashAt(CrashPoint point) { point_ = point; }
  // Whether the last append was refused, so that the process is right to stop.
  bool has_failed() const { return has_failed_; }

 private:
  CrashPoint point_ = CrashPoint::kNone;
  bool has_failed_ = false;
};

}  // namespace gp
