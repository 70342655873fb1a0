#pragma once

// A directory of the job's nodes that the job sees in its image.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/fields.h"
#include "base/result.h"

namespace gp {

struct Mount {
  std::string from;  // path on the node; opened as the job's user
  std::string to;    // path in the image
  bool read_only = false;
  auto operator<=>(const Mount&) const = default;
};
GP_FIELDS(Mount, v.from, v.to, v.read_only)

// "FROM", "FROM:TO", and either with ":ro" or ":rw".  kInvalidArgument: the text has another form.
Result<Mount> MountFromText(std::string_view text);
// The shortest such text.
std::string ToText(const Mount& mount);

// What is wrong with the mount, and how to fix it.
std::optional<std::string> MountFault(const Mount& mount);

}  // namespace gp
