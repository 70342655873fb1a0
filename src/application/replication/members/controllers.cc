#include "application/replication/members/controllers.h"

#include <algorithm>

namespace gp {

uint64_t FormatOfAll(const ControllersSeen& seen, bool without_silent,
                     std::vector<std::string>* unless) {
  uint64_t format = 0;
  for (const ControllerStatus& one : seen.all) {
    const uint64_t newest = one.member.formats.newest;
    if (without_silent && !one.Lives()) continue;
    if (unless != nullptr && format != 0 && newest < format) unless->clear();
    if (format == 0 || newest < format) format = newest;
    if (unless != nullptr && newest == format) unless->push_back(one.member.name);
  }
  return format;
}

Result<ControllersSeen> Controllers::Look() {
  const auto head = GP_TRY(log_.Head());
  ControllersSeen found{.term = head ? head->term : 0, .all = {}};
  for (SeenMember& seen : GP_TRY(board_.All())) {
    ControllerStatus one{
        .member = std::move(seen.member), .leads = false, .silent_for = {}, .behind = 0};
    one.leads = one.member.name == self_;
    if (head && one.leads) one.member.applied = head->last;
    if (head && !one.leads) {
      one.silent_for = {std::max<int64_t>((head->time - one.member.told_at).ns, 0)};
      one.behind = head->last - std::min(head->last, one.member.applied);
    }
    found.all.push_back(std::move(one));
  }
  const std::lock_guard lock(mutex_);
  return *(seen_ = std::move(found));
}

std::optional<ControllersSeen> Controllers::LastSeen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Controllers::LookAtStore() {
  std::vector<StoreMember> found = health_.Members();
  const std::lock_guard lock(mutex_);
  store_seen_ = std::move(found);
}

std::vector<StoreMember> Controllers::StoreSeen() const {
  const std::lock_guard lock(mutex_);
  return store_seen_;
}

Status Controllers::CheckStandby() {
  const ControllersSeen seen = GP_TRY(Look());
  for (const ControllerStatus& one : seen.all)
    if (one.IsStandby()) return Ok();
  return Fail(
      Conflict("no standby could take over: none that is fit has told of itself in the last " +
               std::to_string(ControllerStatus::kSilentAfter.ToMilliseconds() / 1'000) +
               " s (gpu-platform admin controllers list)"));
}

Status Controllers::Remove(const std::string& name) {
  const ControllersSeen seen = GP_TRY(Look());
  const auto found = std::ranges::find(seen.all, name,
                                       [](const ControllerStatus& one) { return one.member.name; });
  if (found == seen.all.end()) return Fail(NotFound("there is no controller \"" + name + "\""));
  if (found->Lives())
    return Fail(Conflict("controller \"" + name + "\" " + (found->leads ? "leads" : "lives") +
                         ": stop it first, for it would tell of itself again"));
  return board_.Remove(name);
}

}  // namespace gp
