#pragma once

// The file of notification receivers (docs/how-to/notifications.md).

#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/outbound/notify_config.h"

namespace gp {

inline constexpr size_t kReceiversMax = 32;

// kInvalidArgument lists all problems of the file, each with file, line and column; kNotFound:
// there is no such file.  Secret files are read only when they are used, as they may be renewed.
Result<NotifyConfig> ReadNotifyFile(const std::string& path);
Result<NotifyConfig> DecodeNotify(std::string_view file_name, std::string_view text);

}  // namespace gp
