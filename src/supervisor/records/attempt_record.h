#pragma once

// The two files of an attempt's directory and their encoding.  The agent writes `launch` once; the
// supervisor writes `status` at the end.  Fields are only ever appended and a reader ignores those
// that it does not know, so an agent and a supervisor of different versions work together during an
// upgrade.  Both files survive a crash of their writers.  They are not synced: after a power
// failure the attempt is gone anyway, and the checksum shows a partly written file.

#include <string>
#include <string_view>

#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

inline constexpr const char* kLaunchFile = "launch";
inline constexpr const char* kStatusFile = "status";
inline constexpr const char* kControlSocket = "control";
inline constexpr const char* kPrivateTmp = "tmp";
inline constexpr const char* kRootDirectory = "root";  // of a job in an image: what it writes there

struct LaunchRecord {
  LaunchSpec spec;
  CgroupPaths cgroups;
};

std::string EncodeLaunch(const LaunchRecord& record);
// Errors: kInvalidArgument (truncated, or not a launch record).
Result<LaunchRecord> DecodeLaunch(std::string_view bytes);

std::string EncodeStatus(const AttemptStatus& status);
Result<AttemptStatus> DecodeStatus(std::string_view bytes);

// Reads a file of the directory, at most 16 MiB.
Result<std::string> ReadFileAt(int directory_fd, const char* name);
// "what: No such file or directory"
Error SystemError(const std::string& what, int error_number);

}  // namespace gp
