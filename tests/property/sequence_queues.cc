// Administrators at work: queues, limits, guarantees, pools, labels, priorities.

#include <array>
#include <vector>

#include "tests/property/sequence.h"

namespace gp {

std::string Sequence::AnyQueue() {
  std::vector<std::string> leaves;
  for (const auto& [name, queue] : ledger_.state().queues.all) {
    if (!ledger_.state().queues.HasChildren(name)) leaves.push_back(name);
  }
  return leaves[rng_.Below(leaves.size())];
}

bool Sequence::StepOfQueues(uint64_t dice) {
  static constexpr std::array kNames = {"default", "a", "a/x", "a/y", "b"};
  const auto limit = [this]() -> std::optional<int64_t> {
    return rng_.Chance(1, 3) ? std::optional<int64_t>(rng_.Between(-1, 4)) : std::nullopt;
  };
  if (dice < 6) {
    SetQueue set;
    set.name = kNames[rng_.Below(kNames.size())];
    if (rng_.Chance(1, 2)) set.weight = rng_.Between(1, 9);
    if (rng_.Chance(1, 2)) set.guaranteed = rng_.Between(0, 3);
    if (rng_.Chance(1, 4)) set.reclaimable = rng_.Chance(1, 2);
    if (rng_.Chance(1, 6)) set.pool = rng_.Chance(1, 2) ? "default" : "dev";
    set.limit = {limit(), limit(), limit(), limit(), limit()};
    set.user_limit = {limit(), limit(), limit(), limit(), limit()};
    if (rng_.Chance(1, 6)) set.min_gpus = rng_.Between(0, 2);
    if (rng_.Chance(1, 3)) set.wait_target = Duration::Seconds(rng_.Between(0, 20));
    return Tell(std::move(set)) != nullptr;
  }
  if (dice == 9) return SetOrDeleteBudget();
  if (dice < 7) return Tell(DeleteQueue{kNames[rng_.Below(kNames.size())]}) != nullptr;
  if (dice == 8 && rng_.Chance(1, 2)) return ReloadPolicy();
  if (dice < 9 && rng_.Chance(2, 3))
    return Tell(ChangeJobQueue{AnyQueuedJob(), kNames[rng_.Below(kNames.size())]}) != nullptr;
  if (dice < 9)
    return Tell(SetPriority{AnyJob(), 250 * rng_.Between(1, 3)}, AnyRequest()) != nullptr;
  if (dice >= 14) return StepOfAccess(dice - 14);
  if (dice >= 12) return ReserveOrEnd();
  const Machine& machine = AnyMachine();
  if (!machine.agent.node()) return false;
  ChangeNode change{*machine.agent.node(), {}, {}, {}};
  if (rng_.Chance(1, 2)) change.pool = rng_.Chance(2, 3) ? "default" : "dev";
  if (rng_.Chance(1, 2)) change.labels = {{"zone", rng_.Chance(1, 2) ? "a" : "b"}};
  static constexpr std::array kNetworks = {"a", "a/1", "a/2", "b/1", "a/1/x"};
  if (rng_.Chance(1, 2)) change.labels["network"] = kNetworks[rng_.Below(kNetworks.size())];
  return Tell(std::move(change)) != nullptr;
}

// Money, as nothing here lasts for hours.
bool Sequence::SetOrDeleteBudget() {
  static constexpr std::array kQueues = {"", "default", "a", "a/x"};
  static constexpr std::array kUsers = {"", "ana", "*"};
  const auto& known = ledger_.state().queues.budgets;
  if (!known.empty() && rng_.Chance(1, 2))
    return Tell(DeleteBudget{known.begin()->first}) != nullptr;
  const BudgetKey key{kQueues[rng_.Below(kQueues.size())], kUsers[rng_.Below(kUsers.size())],
                      rng_.Chance(1, 4) ? "dev" : ""};
  constexpr OverBudget kOver[] = {OverBudget::kWarn, OverBudget::kDemote, OverBudget::kRefuse,
                                  OverBudget::kHold};
  SetBudget set;
  set.key = key;
  set.money_micros = rng_.Between(0, rng_.Chance(1, 2) ? 1'000'000 : 10'000);
  set.over = kOver[rng_.Below(std::size(kOver))];
  return Tell(std::move(set)) != nullptr;
}

void Sequence::ReviewABudget() {
  const auto& known = ledger_.state().queues.budgets;
  if (known.empty()) return;
  const BudgetKey key =
      std::next(known.begin(), static_cast<std::ptrdiff_t>(rng_.Below(known.size())))->first;
  Tell(ReviewBudget{key});
}

bool Sequence::ReloadPolicy() {
  policy_.faults_max = rng_.Between(2, 16);
  policy_.jobs_kept = rng_.Between(0, 20);
  policy_.faults.incident_window = Duration::Seconds(rng_.Between(1, 300));
  WeighPlaces();
  SetPrices();
  SetUnderUse();
  return Tell(SetPolicy{policy_}) != nullptr;
}

bool Sequence::ReserveOrEnd() {
  static constexpr std::array kNames = {"course", "night"};
  const std::string name = kNames[rng_.Below(kNames.size())];
  if (rng_.Chance(1, 4)) return Tell(EndReservation{name}) != nullptr;
  ReserveNodes reserve;
  reserve.reservation.name = name;
  reserve.reservation.pool = rng_.Chance(4, 5) ? "default" : "dev";
  reserve.reservation.starts_at = now_ + Duration::Seconds(rng_.Between(-10, 120));
  reserve.reservation.ends_at =
      reserve.reservation.starts_at + Duration::Seconds(rng_.Between(1, 300));
  reserve.reservation.maintenance = rng_.Chance(1, 3);
  if (!reserve.reservation.maintenance) {
    reserve.reservation.users = {"ana"};
    reserve.reservation.queues = {AnyQueue()};
  }
  reserve.count = rng_.Between(1, 2);
  return Tell(std::move(reserve)) != nullptr;
}

// What was limited on purpose may wait for ever; at the end nothing shall.
void Sequence::LiftQuotas() {
  const auto reservations = ledger_.state().reservations.all;
  for (const auto& [name, reservation] : reservations) Tell(EndReservation{name});
  std::vector<JobId> without_place;
  for (const auto& [id, job] : ledger_.state().jobs.all) {
    if (!job.spec->placement.reservation.empty() && !IsTerminal(job.state))
      without_place.push_back(id);
  }
  for (const JobId id : without_place) Tell(StopJob{id});
  const auto budgets = ledger_.state().queues.budgets;
  for (const auto& [key, budget] : budgets) {
    SetBudget warning;
    warning.key = key;
    warning.over = OverBudget::kWarn;
    Tell(std::move(warning));
  }
  std::vector<std::string> names;
  // Lower ones first
  for (const auto& [name, queue] : ledger_.state().queues.all) names.insert(names.begin(), name);
  for (const std::string& name : names) {
    SetQueue lift;
    lift.name = name;
    lift.guaranteed = 0;
    lift.limit = lift.user_limit = {-1, -1, -1, -1, -1};
    if (Tell(std::move(lift)) == nullptr)
      ledger_.Break("a limit cannot be lifted: " + ledger_.last_refusal());
  }
}

}  // namespace gp
