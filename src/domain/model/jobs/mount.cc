#include "domain/model/jobs/mount.h"

#include <algorithm>
#include <vector>

#include "base/paths.h"
#include "base/text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// The platform shows its own there.
constexpr std::string_view kOfPlatform[] = {"/dev", "/proc", "/sys"};

}  // namespace

Result<Mount> MountFromText(std::string_view text) {
  std::vector<std::string> parts = Split(text, ':');
  Mount mount;
  if (parts.back() == "ro" || parts.back() == "rw") {
    mount.read_only = parts.back() == "ro";
    parts.pop_back();
  }
  if (parts.empty() || parts.size() > 2) {
    return Fail(InvalidArgument("\"" + Printable(text, 200) +
                                "\" is no mount: write FROM, FROM:TO, FROM:ro or FROM:TO:ro"));
  }
  mount.from = parts.front();
  mount.to = parts.back();
  return mount;
}

std::string ToText(const Mount& mount) {
  return mount.from + (mount.to == mount.from ? "" : ":" + mount.to) +
         (mount.read_only ? ":ro" : "");
}

std::optional<std::string> MountFault(const Mount& mount) {
  for (const std::string& path : {mount.from, mount.to}) {
    if (auto fault = PathFault(path)) return fault;
    if (path.contains(':'))
      return ToText(mount) + " holds a path with \":\", which separates paths";
    const std::string plain = PlainPath(path);
    const bool is_covered = std::ranges::any_of(
        kOfPlatform, [&](std::string_view own) { return PathsOverlap(own, plain); });
    if (is_covered) return ToText(mount) + ": /, /dev, /proc and /sys are the platform's own";
  }
  const std::string to = PlainPath(mount.to);
  if (to == "/tmp") return ToText(mount) + ": /tmp is the attempt's own; name a directory in it";
  if (to == "/etc")
    return ToText(mount) + ": /etc has files of the platform; name a directory in it";
  return std::nullopt;
}

}  // namespace gp
