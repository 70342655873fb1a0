#include "cmd/settings/profiles.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

struct Profile {
  std::string_view program;
  std::string_view name;
  std::string_view text;
};

constexpr Profile kProfiles[] = {
    // One machine, for trying things out: all that happens is visible, and nothing waits long.
    {"controller", "development", R"(log: text
listen:
  http: 127.0.0.1:8080
policy:
  min_run: 0s
  jobs_kept_for: 7d
agent:
  keep_logs: 7d
)"},
    // A site: events as JSON for its log store, encryption on loopback too, a year of history.
    {"controller", "production", R"(log: json
listen:
  tls: true
keep_journal: 365d
policy:
  jobs_kept_for: 365d
)"},
    {"agent", "development", "keep_logs: 7d\n"},
    {"agent", "production", ""},
};

}  // namespace

std::string_view ProfileText(std::string_view program, std::string_view profile) {
  for (const Profile& one : kProfiles) {
    if (one.program == program && one.name == profile) return one.text;
  }
  return {};
}

std::optional<std::string> ProfileFault(const std::string& name) {
  const bool is_known =
      std::ranges::any_of(kProfiles, [&](const Profile& profile) { return profile.name == name; });
  if (is_known || name.empty()) return std::nullopt;
  const auto nearest = Nearest(name, std::vector<std::string>{"development", "production"});
  return "there are the profiles development and production" +
         (nearest ? "; did you mean \"" + *nearest + "\"?" : std::string());
}

}  // namespace gp
