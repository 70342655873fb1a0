// Usage of GPU time, its cost, and budgets.

#include "adapters/inbound/api/control_api.h"
#include "adapters/wire/views/usage_view.h"
#include "base/text.h"

namespace gp {
namespace {

// Which rows of the usage ledger the caller may see.
class UsageRights {
 public:
  explicit UsageRights(const Caller& caller)
      : caller_(caller), sees_all_(caller.In("") >= Role::kViewer) {}

  bool May(const UsageKey& row) {
    if (row.queue.empty()) return sees_all_;
    if (row.user == caller_.user.name && caller_.scope.empty()) return true;
    const auto [role, is_new] = roles_.try_emplace(row.queue, Role::kNone);
    if (is_new) role->second = caller_.In(row.queue);
    return role->second >= Role::kViewer;
  }

 private:
  const Caller& caller_;
  const bool sees_all_;
  std::map<std::string, Role> roles_;
};

// A queue's budget needs the role admin in the queue above.
Status CheckGovernsBudget(const Caller& caller, const std::string& queue) {
  const std::string above = ParentOf(queue);
  if (caller.In(above) >= Role::kAdmin) return Ok();
  return Fail(PermissionDenied("queue: " + caller.user.name + " lacks the role admin " +
                               (above.empty() ? "everywhere" : "in " + above) +
                               " (gpu-platform whoami)"));
}

}  // namespace

Status ControlApi::GetUsage(const Caller& caller, const v1::GetUsageRequest& request,
                            v1::Usage* reply) {
  const Instant now = gateway_.Now();
  const UsageQuery query = GP_TRY(FromProto(request, gateway_.WallNow()));
  UsageRights rights(caller);
  bool is_known = true;
  Status shown = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    is_known = query.queue.empty() || state.queues.all.contains(query.queue);
    reply->set_currency(state.policy.prices.currency);
    shown = UsageView(
        state.metering.used, std::max(now, state.metering.now), query,
        [&](const UsageKey& row) { return rights.May(row); }, reply);
  }));
  GP_CHECK_OK(shown);
  // Deleted queues may still have rows.
  if (!is_known && reply->rows().empty())
    return Fail(NotFound("queue: there is no queue " + Printable(query.queue, 140)));
  return Ok();
}

Status ControlApi::FillBudgets(const Caller& caller, v1::ListBudgetsReply* reply) {
  const Instant now = gateway_.Now();
  return gateway_.Read([&](const State& state) {
    reply->set_currency(state.policy.prices.currency);
    for (const auto& [key, budget] : state.queues.budgets) {
      const bool sees_all = caller.In(key.queue) >= Role::kViewer;
      const auto may_see = [&](const std::string& user) {
        return sees_all || (caller.scope.empty() && user == caller.user.name);
      };
      v1::Budget budget_view;
      BudgetView(state, key, now, may_see, &budget_view);
      // Other callers see a budget only if they have used some of it.
      if (sees_all || !budget_view.standings().empty())
        *reply->add_budgets() = std::move(budget_view);
    }
  });
}

Status ControlApi::ListBudgets(const Caller& caller, const v1::ListBudgetsRequest&,
                               v1::ListBudgetsReply* reply) {
  return FillBudgets(caller, reply);
}

Status ControlApi::SetBudget(const Caller& caller, const v1::SetBudgetRequest& request,
                             v1::ListBudgetsReply* reply) {
  GP_CHECK_OK(CheckGovernsBudget(caller, request.queue()));
  const gp::SetBudget command = GP_TRY(FromProto(request));
  const Outcome outcome = Execute(caller, command);
  if (!outcome.status) return outcome.status;
  return FillBudgets(caller, reply);
}

Status ControlApi::DeleteBudget(const Caller& caller, const v1::DeleteBudgetRequest& request,
                                v1::ListBudgetsReply* reply) {
  GP_CHECK_OK(CheckGovernsBudget(caller, request.queue()));
  const Outcome outcome =
      Execute(caller, gp::DeleteBudget{{request.queue(), request.user(), request.pool()}});
  if (!outcome.status) return outcome.status;
  return FillBudgets(caller, reply);
}

}  // namespace gp
