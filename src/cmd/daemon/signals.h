#pragma once

namespace gp {

// SIGTERM and SIGINT, waited for instead of handled. Made before any other thread is started:
// threads inherit the blocked signals.
class StopSignals {
 public:
  StopSignals();
  // Blocks until a signal comes; returns its number.
  int Wait() const;
  // Whether Wait would return at once.
  bool HaveCome() const;
  // As if one had come.  Any thread.
  void Raise() const;
};

// Ends the process without destructors: threads that wait for a stuck driver or a dead peer must
// not delay the end, and all that must survive is on disk.
[[noreturn]] void ExitNow(int code);

}  // namespace gp
