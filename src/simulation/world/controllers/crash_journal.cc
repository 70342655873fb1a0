#include "simulation/world/controllers/crash_journal.h"

#include <utility>

namespace gp {

Appended CrashJournal::Append(uint64_t epoch, uint64_t expected,
                              std::span<const std::string> records) {
  const CrashPoint point = std::exchange(point_, CrashPoint::kNone);
  has_failed_ = point == CrashPoint::kDiskFails;
  if (has_failed_) return {AppendEnd::kUnknown, "journal: no space left on the device"};
  if (point == CrashPoint::kBeforeSync) throw ControllerCrash();
  Appended end = MemoryJournal::Append(epoch, expected, records);
  if (point == CrashPoint::kAfterSync) throw ControllerCrash();
  return end;
}

}  // namespace gp
