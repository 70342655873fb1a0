#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/faults/signal.h"
#include "domain/faults/xid.h"

namespace gp {

// The kernel's own limit of a record, header and properties included.
inline constexpr size_t kKernelRecordBytesMax = 8192;
inline constexpr int kKernelXidMax = 65535;

// An XID as the driver writes it into the kernel's log.  Only records that the kernel itself wrote
// count: a program that writes to /dev/kmsg gets another facility.  The line is parsed from its
// beginning, because it contains a process name, which users choose.
struct KernelXid {
  // Domain:bus:device, upper case, the domain with as many digits as printed; empty: not in the
  // line
  std::string bus_id;
  int xid = 0;  // of kFabric: the SXid
  std::optional<int> gpu_instance;
  std::optional<int> compute_instance;
  std::optional<int> pid;  // on the host
  std::string name;        // of the process, for people only: users choose it
  DriverAdvice reported = DriverAdvice::kUnknown;  // of XID 154
  bool is_fatal = true;                            // false only where the driver says so
  std::string text;  // the driver's line, with the escapes of /dev/kmsg
  // Or another message of the driver: kFabric, kLost
  SignalKind kind = SignalKind::kXid;
  bool is_of_peer = false;  // the other end of an NVLink has failed
  bool operator==(const KernelXid&) const = default;
};

// The text of a record, if the record counts.
std::optional<std::string_view> TextOf(std::string_view kmsg_record, bool accept_user = false);

// `kmsg_record` is "priority,sequence,microseconds,flags;text", then properties, as one read of
// /dev/kmsg returns it.  Nullopt: no XID, not from the kernel, truncated before its number ends,
// too long.
// `accept_user` is for tests: records that programs wrote count too.
std::optional<KernelXid> ParseXid(std::string_view kmsg_record, bool accept_user = false);

}  // namespace gp
