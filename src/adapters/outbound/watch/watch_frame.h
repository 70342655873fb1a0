#pragma once

// What a watcher process sends to its agent through a pipe: readings and XIDs, each preceded by its
// length in bytes.  Each contains the UUID that the driver reported for the handle that was read:
// the agent knows which GPU it asked for, but not which one was read.

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ports/outbound/gpu_watch.h"

namespace gp {

inline constexpr size_t kWatchFrameMax = 64 << 10;

using WatchFrame = std::variant<GpuHealth, XidSighting>;

const std::string& UuidOf(const WatchFrame& frame);

std::string EncodeFrame(const WatchFrame& frame);

// Removes the first complete frame from `bytes`. nullopt: it is not complete yet. kInternal: it is
// not a frame.
Result<std::optional<WatchFrame>> TakeFrame(std::string& bytes);

}  // namespace gp
