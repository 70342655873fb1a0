#pragma once

// An XID as the driver writes it into the kernel's log.  Only what the kernel itself wrote counts:
// a program that writes to /dev/kmsg gets another facility.  The line is read from its beginning,
// because its middle holds a process name, which users choose.

#include <optional>
#include <string>
#include <string_view>

#include "domain/faults/signal.h"
#include "domain/faults/xid.h"

namespace gp {

// The kernel's own limit of a record, header and properties included.
inline constexpr size_t kKernelRecordBytesMax = 8192;
inline constexpr int kKernelXidMax = 65535;

struct KernelXid {
  // Domain:bus:device, upper case, the domain with as many digits as printed; empty: it does not
  // say
  std::string bus_id;
  int xid = 0;  // of kFabric: the SXid
  std::optional<int> gpu_instance;
  std::optional<int> compute_instance;
  std::optional<int> pid;  // on the host
  std::string name;        // of the process, for people: it may say anything
  DriverAdvice reported = DriverAdvice::kUnknown;  // of XID 154
  bool is_fatal = true;                            // false only where the driver says so
  std::string text;  // the driver's line, with the escapes of /dev/kmsg
  // Or what the driver says beside XIDs: kFabric, kLost
  SignalKind kind = SignalKind::kXid;
  bool is_of_peer = false;  // the other end of an NVLink has failed
  bool operator==(const KernelXid&) const = default;
};

// The text of a record that counts.
std::optional<std::string_view> TextOf(std::string_view kmsg_record, bool accept_user = false);

// `kmsg_record` is "priority,sequence,microseconds,flags;text", then properties, as one read of
// /dev/kmsg gives it.  Nullopt: no XID, not from the kernel, cut before its number ends, too long.
// `accept_user` is for tests: records that programs wrote count as well.
std::optional<KernelXid> ParseXid(std::string_view kmsg_record, bool accept_user = false);

}  // namespace gp
