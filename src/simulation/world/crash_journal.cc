#include "simulation/world/crash_journal.h"

#include <utility>

namespace gp {

Status CrashJournal::Append(std::span<const std::string> records) {
  const CrashPoint point = std::exchange(point_, CrashPoint::kNone);
  has_failed_ = point == CrashPoint::kDiskFails;
  if (has_failed_) return Fail(Internal("journal: no space left on the device"));
  if (point == CrashPoint::kBeforeSync) throw ControllerCrash();
  GP_CHECK_OK(MemoryJournal::Append(records));
  if (point == CrashPoint::kAfterSync) throw ControllerCrash();
  return Ok();
}

}  // namespace gp
