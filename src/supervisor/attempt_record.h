#pragma once

// The two files of an attempt's directory and their encoding.  `launch` is written once by the
// agent; `status` by the supervisor, at the end.  Fields are only ever appended: a reader takes
// what it knows, so that an agent and a supervisor of different versions understand each other
// across an upgrade.  Both outlive a crash of their writers and are not synced: after a power cut
// the attempt is gone anyway, and a file that was written in part is known by its checksum.

#include <string>
#include <string_view>

#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

inline constexpr const char* kLaunchFile = "launch";
inline constexpr const char* kStatusFile = "status";
inline constexpr const char* kControlSocket = "control";
inline constexpr const char* kPrivateTmp = "tmp";

struct LaunchRecord {
  LaunchSpec spec;
  CgroupPaths cgroups;
};

std::string EncodeLaunch(const LaunchRecord& record);
// kInvalidArgument: cut off, or not a launch record.
Result<LaunchRecord> DecodeLaunch(std::string_view bytes);

std::string EncodeStatus(const AttemptStatus& status);
Result<AttemptStatus> DecodeStatus(std::string_view bytes);

// Files below the directory `directory_fd`.  Reads at most 16 MiB.
Result<std::string> ReadFileAt(int directory_fd, const char* name);
// "what: No such file or directory"
Error SystemError(const std::string& what, int error_number);

}  // namespace gp
