#pragma once

// What a node observed once on one of its GPUs: a fact without a judgement.

#include <cstdint>
#include <string>

#include "base/fields.h"
#include "base/time.h"
#include "domain/faults/xid.h"
#include "domain/model/ids.h"

namespace gp {

enum class SignalKind {
  kXid,
  kAdvice,  // the driver's advice changed without an XID
  kLost,    // it fell off the bus, and no XID reports it
  kRemapFailed,
  kHot,       // slowed down for a long time because of heat
  kCritical,  // about to shut down because of heat
  kFabric,    // an NVSwitch reports an error (SXid); gpu is -1
  kMissing,   // its node joins without it; gpu is never -1
};

struct FaultSignal {
  uint64_t number = 0;  // grows on its node, also over restarts of the agent
  int gpu = 0;          // position in the node; -1: the node itself, or an unknown GPU
  SignalKind kind = SignalKind::kXid;
  int xid = 0;    // for kFabric: the number of the SXid
  LeaseId lease;  // of the program in the report; 0: none, or not of a lease
  DriverAdvice advice = DriverAdvice::kUnknown;    // the driver's advice at that moment
  DriverAdvice reported = DriverAdvice::kUnknown;  // the advice in the text of XID 154
  bool is_fatal = true;                            // false if the text says that it is not fatal
  Instant at;                                      // by the node's clock
  std::string text;         // for people: the line of the kernel log, or the reading
  bool is_of_peer = false;  // of an NVLink error: the other end of the link failed
  bool operator==(const FaultSignal&) const = default;
};
GP_FIELDS(FaultSignal, v.number, v.gpu, v.kind, v.xid, v.lease, v.advice, v.reported, v.is_fatal,
          v.at, v.text, Since<17>(v.is_of_peer))

}  // namespace gp
