#include "application/replication/members/controllers.h"

#include <algorithm>

namespace gp {

Result<uint64_t> Controllers::Term() {
  const auto head = GP_TRY(log_.Head());
  return head ? head->term : 0;
}

Result<std::vector<ControllerStatus>> Controllers::List() {
  const auto head = GP_TRY(log_.Head());
  std::vector<ControllerStatus> all;
  for (SeenMember& seen : GP_TRY(board_.All())) {
    ControllerStatus one{
        .member = std::move(seen.member), .leads = false, .silent_for = {}, .behind = 0};
    one.leads = one.member.name == self_;
    if (head && one.leads) one.member.applied = head->last;
    if (head && !one.leads) {
      one.silent_for = {std::max<int64_t>((head->time - one.member.told_at).ns, 0)};
      one.behind = head->last - std::min(head->last, one.member.applied);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Status Controllers::CheckStandby() {
  for (const ControllerStatus& one : GP_TRY(List()))
    if (!one.leads && one.Lives()) return Ok();
  return Fail(Conflict("no standby could take over: none has told of itself in the last " +
                       std::to_string(ControllerStatus::kSilentAfter.ToMilliseconds() / 1'000) +
                       " s (gpu-platform admin controllers list)"));
}

Status Controllers::Remove(const std::string& name) {
  const auto all = GP_TRY(List());
  const auto found =
      std::ranges::find(all, name, [](const ControllerStatus& one) { return one.member.name; });
  if (found == all.end()) return Fail(NotFound("there is no controller \"" + name + "\""));
  if (found->Lives())
    return Fail(Conflict("controller \"" + name + "\" " + (found->leads ? "leads" : "lives") +
                         ": stop it first, for it would tell of itself again"));
  return board_.Remove(name);
}

}  // namespace gp
