#pragma once

// What a node saw of one of its GPUs, once: a fact, without a judgement.

#include <cstdint>
#include <string>

#include "base/time.h"
#include "domain/faults/xid.h"
#include "domain/model/ids.h"

namespace gp {

enum class SignalKind {
  kXid,
  kAdvice,  // the driver asks for something, or for nothing any more, and no XID says so
  kLost,    // it fell off the bus, and no XID says so
  kRemapFailed,
  kHot,       // slowed down for its heat for long
  kCritical,  // about to turn itself off for its heat
  kFabric,    // an NVSwitch reports an error (SXid); gpu is -1
  kMissing,   // its node joins without it; gpu is never -1
};

struct FaultSignal {
  uint64_t number = 0;  // grows on its node, over restarts of the agent too
  int gpu = 0;          // position in the node; -1: the node itself, or a GPU that is not known
  SignalKind kind = SignalKind::kXid;
  int xid = 0;    // of kFabric: the number of the SXid
  LeaseId lease;  // of the program that the report names; 0: none, or nobody's
  DriverAdvice advice = DriverAdvice::kUnknown;    // what the driver asks for at that moment
  DriverAdvice reported = DriverAdvice::kUnknown;  // what the text of XID 154 says
  bool is_fatal = true;                            // where the text says how bad it is
  Instant at;                                      // by the node's clock
  std::string text;         // for people: the kernel's line, or what was read
  bool is_of_peer = false;  // of an NVLink error: the other end of the link has failed
  bool operator==(const FaultSignal&) const = default;
};

}  // namespace gp
