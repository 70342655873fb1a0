#pragma once

// Who is told of what, as people write it (docs/how-to/notifications.md).

#include <string>
#include <string_view>

#include "adapters/outbound/notify/notification.h"
#include "base/result.h"

namespace gp {

inline constexpr size_t kReceiversMax = 32;

// kInvalidArgument has all that is wrong with the file, each with file, line and column; kNotFound:
// there is no such file. Secrets are read when they are used: they may be renewed meanwhile.
Result<NotifyConfig> ReadNotifyFile(const std::string& path);
Result<NotifyConfig> DecodeNotify(std::string_view file_name, std::string_view text);

}  // namespace gp
