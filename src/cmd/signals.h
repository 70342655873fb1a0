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

}  // namespace gp
