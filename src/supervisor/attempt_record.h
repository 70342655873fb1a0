#pragma once

// The two files of an attempt's directory and their encoding.  `launch` is written once by the
// agent; `status` by the supervisor, replaced as a whole at each change.  Fields are only ever
// appended: a reader takes what it knows, so that an agent and a supervisor of different versions
// understand each other across an upgrade.

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
// All or nothing for readers: written aside, then renamed.  Not fsynced: after a power cut the
// attempt is gone anyway.
Status ReplaceFileAt(int directory_fd, const char* name, std::string_view bytes);

// "what: No such file or directory"
Error SystemError(const std::string& what, int error_number);

}  // namespace gp
