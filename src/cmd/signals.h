#pragma once

namespace gp {

// SIGTERM and SIGINT, waited for instead of handled.  Made before any other thread is started:
// they inherit the blocked signals.
class StopSignals {
 public:
  StopSignals();
  // Blocks until a signal comes; its number.
  int Wait() const;
};

// Ends the process without destructors: threads that wait for a sick driver or a dead peer must not
// hold it, and all that must survive is on disk.
[[noreturn]] void ExitNow(int code);

}  // namespace gp
