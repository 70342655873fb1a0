#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// The character device at this path; nullopt: there is none.
std::optional<DeviceNumber> DeviceAt(const std::string& path);

// The group that may use the device where others may not; nullopt: there is none, and for root's.
std::optional<uint32_t> GroupThatOpens(const std::string& path);

// Makes the device node `path` with permissions `mode`, for a simulated device; one that exists is
// kept. Opening it reaches the kernel, which has no driver for it (ENXIO).
Status MakeSimulatedDevice(const std::string& path, DeviceNumber number, unsigned mode);

}  // namespace gp
