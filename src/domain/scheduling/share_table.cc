#include "domain/scheduling/share_table.h"

#include <algorithm>
#include <utility>

#include "base/wide.h"

namespace gp {
namespace {

constexpr int64_t kSteps = 64;

}  // namespace

ShareTable::Entry* ShareTable::Add(const std::string& queue, const std::string& user) {
  const auto known = entries_.find({queue, user});
  if (known != entries_.end()) return &known->second;
  Entry* parent = nullptr;
  for (std::string& path : PathsTo(queue)) parent = AddOne({std::move(path), ""}, parent);
  return AddOne({queue, user}, parent);
}

ShareTable::Entry* ShareTable::AddOne(AccountId id, Entry* parent) {
  const auto [found, is_new] = entries_.try_emplace(id);
  Entry& entry = found->second;
  if (!is_new) return &entry;
  const Queue& queue = state_.queues.all.at(id.queue);
  entry.id_ = std::move(id);
  entry.parent_ = parent;
  entry.siblings_ = &siblings_[{queue.pool, parent == nullptr ? "" : parent->id_.queue}];
  if (entry.id_.user.empty()) {
    entry.weight_ = queue.weight;
    entry.guaranteed_ = queue.guaranteed * kWholeShare;
  }
  ++entry.siblings_->count;
  entry.siblings_->weights += entry.weight_;
  return &entry;
}

void ShareTable::Weigh() {
  for (auto& [id, entry] : entries_) Measure(entry);
  for (auto& [id, entry] : entries_) {
    const auto capacity = state_.nodes.capacity.find(state_.queues.all.at(id.queue).pool);
    const int64_t gpus = capacity == state_.nodes.capacity.end() ? 1 : capacity->second;
    entry.norm_ = std::max(entry.siblings_->use, gpus * kWholeShare * HorizonMs());
    SetStep(entry);
  }
}

void ShareTable::Measure(Entry& entry) {
  if (entry.siblings_->count == 1) return;  // no sibling to compare with
  const auto found = state_.queues.accounts.find(entry.id_);
  if (found == state_.queues.accounts.end()) return;
  Account account = found->second;
  Settle(account, at_, MeterOf(state_.policy));
  entry.held_ = account.held.share;
  entry.use_ = account.faded_use + entry.held_ * HorizonMs();
  entry.siblings_->use += entry.use_;
}

void ShareTable::SetStep(Entry& entry) {
  if (entry.siblings_->count == 1) return;
  if (entry.held_ < entry.guaranteed_) {
    entry.step_ = -1;
    return;
  }
  const Wide share = Wide{entry.weight_} * entry.norm_;
  entry.step_ =
      share == 0
          ? 0
          : static_cast<int64_t>(Wide{entry.use_} * kSteps * entry.siblings_->weights / share);
}

void ShareTable::Charge(const std::string& queue, const std::string& user, int64_t share) {
  const auto found = entries_.find({queue, user});
  if (found == entries_.end() || share == 0) return;  // the user has no pending jobs in the queue
  for (Entry* entry = &found->second; entry != nullptr; entry = entry->parent_) {
    entry->held_ += share;
    entry->use_ += share * HorizonMs();
    SetStep(*entry);
  }
}

}  // namespace gp
