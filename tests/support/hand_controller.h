#pragma once

#include <memory>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"

namespace gp {

// A controller that decides when a test says so, on a clock and a journal of the test's.
struct HandController {
  ManualClock clock;
  MemoryJournal journal;
  std::unique_ptr<ControlLoop> loop;

  // Once more: as after a restart.
  void Open(AuditTrail* audit = nullptr) {
    ControlOptions options;
    options.by_hand = true;
    options.audit = audit;
    loop.reset();
    loop = *ControlLoop::Open(journal, clock, options);
  }
  void Turn() {
    while (loop->Turn() == Duration{}) {
    }
  }
};

}  // namespace gp
