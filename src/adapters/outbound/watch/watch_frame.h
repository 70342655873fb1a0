#pragma once

// What a watcher process tells its agent through a pipe: readings and XIDs, each a length and that
// many bytes.  Each names the GPU that it is of by UUID, as the driver told it for the handle that
// was read: the agent knows which GPU it asked about, and not which one was read.

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

// Takes the first whole frame off `bytes`.  nullopt: it is not whole yet.  kInternal: this is no
// frame.
Result<std::optional<WatchFrame>> TakeFrame(std::string& bytes);

}  // namespace gp
