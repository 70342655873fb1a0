#pragma once

// The file of notification receivers (docs/how-to/notifications.md).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/yaml_tree.h"
#include "ports/outbound/notify_config.h"

namespace gp {

inline constexpr size_t kReceiversMax = 32;

// kInvalidArgument lists all problems of the file, each with file, line and column; kNotFound:
// there is no such file.  Secret files are read only when they are used, as they may be renewed.
Result<NotifyConfig> ReadNotifyFile(const std::string& path);
Result<NotifyConfig> DecodeNotify(std::string_view file_name, std::string_view text);

// The same for a map within another file; problems are added to the report.
NotifyConfig ReadNotify(const YamlNode& map, Report& report);

// The keys of the file.
std::vector<std::string> NotifyNames();

}  // namespace gp
