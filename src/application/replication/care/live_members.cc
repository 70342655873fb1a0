#include "application/replication/care/live_members.h"

#include <algorithm>
#include <optional>

namespace gp {

void LiveMembers::See(const std::vector<SeenMember>& all, int64_t now_ns) {
  std::map<std::string, Sight> seen;
  for (const SeenMember& one : all) {
    const auto before = members_.find(one.member.name);
    const bool is_as_before = before != members_.end() && before->second.revision == one.revision;
    seen[one.member.name] = {one.revision, one.member.applied,
                             is_as_before ? before->second.changed_ns : now_ns};
  }
  members_ = std::move(seen);
}

uint64_t LiveMembers::Held(int64_t now_ns) const {
  std::optional<uint64_t> held;
  for (const auto& [name, sight] : members_) {
    const bool is_live = now_ns - sight.changed_ns < live_for_.ns;
    if (is_live) held = std::min(held.value_or(sight.applied), sight.applied);
  }
  return held.value_or(0);
}

}  // namespace gp
