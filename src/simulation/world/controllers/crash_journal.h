#pragma once

#include "adapters/outbound/memory/memory_journal.h"
#include "simulation/world/controllers/controller_crash.h"

namespace gp {

// A journal on a virtual disk that outlives its controller.  It keeps only what was synced.
// Crashes of the controller are injected here, because every external effect follows an append.
class CrashJournal : public MemoryJournal {
 public:
  Appended Append(uint64_t epoch, uint64_t expected, std::span<const std::string> records) override;

  // An operator has copied another controller's journal here.
  void Replace(const CrashJournal& by) { MemoryJournal::operator=(by); }

  // Crashes the controller at the next append.
  void CrashAt(CrashPoint point) { point_ = point; }
  // Whether the last append was refused, so that the process must stop.
  bool has_failed() const { return has_failed_; }

 private:
  CrashPoint point_ = CrashPoint::kNone;
  bool has_failed_ = false;
};

}  // namespace gp
