#include "adapters/outbound/memory/memory_quorum_store.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gp {

class MemoryQuorumStore::Watcher : public StoreWatch {
 public:
  Watcher(MemoryQuorumStore& store, uint64_t number) : store_(store), number_(number) {}
  ~Watcher() override {
    const std::lock_guard lock(store_.mutex_);
    store_.watchers_.erase(number_);
  }

 private:
  MemoryQuorumStore& store_;
  const uint64_t number_;
};

bool MemoryQuorumStore::Holds(const StoreCondition& condition) const {
  const auto found = entries_.find(condition.key);
  if (found == entries_.end()) return condition.revision == 0;
  const StoreEntry& entry = found->second;
  return condition.revision ==
         (condition.of == StoreCondition::Of::kCreated ? entry.created : entry.modified);
}

void MemoryQuorumStore::Put(const StorePut& put) {
  StoreEntry& entry = entries_[put.key];
  if (entry.created == 0) entry.created = revision_;
  entry.key = put.key;
  entry.value = put.value;
  entry.modified = revision_;
  leased_.erase(put.key);
  if (put.lease != 0) leased_[put.key] = put.lease;
}

// A hint may come without a change, so all watchers get all hints.
void MemoryQuorumStore::Hint() {
  for (const auto& [number, changed] : watchers_) changed();
}

Committed MemoryQuorumStore::Commit(const StoreTransaction& transaction) {
  const std::lock_guard lock(mutex_);
  const auto is_over = [this](const StorePut& put) {
    return put.lease != 0 && !leases_.contains(put.lease);
  };
  if (std::ranges::any_of(transaction.puts, is_over))
    return {CommitEnd::kRefused, 0, "the lease has ended"};
  for (const StoreCondition& condition : transaction.conditions) {
    if (!Holds(condition)) return {CommitEnd::kRefused, 0, "key " + condition.key + " has changed"};
  }
  ++revision_;
  for (const KeyRange& range : transaction.deletions) {
    for (const StoreEntry& entry : ReadHere(range, SIZE_MAX).entries) {
      entries_.erase(entry.key);
      leased_.erase(entry.key);
    }
  }
  for (const StorePut& put : transaction.puts) Put(put);
  Hint();
  return {CommitEnd::kCommitted, revision_, ""};
}

StoreRead MemoryQuorumStore::ReadHere(const KeyRange& range, size_t max) const {
  StoreRead read;
  for (auto entry = entries_.lower_bound(range.first); entry != entries_.end(); ++entry) {
    if (range.end.empty() ? entry->first != range.first : entry->first >= range.end) break;
    read.has_more = read.entries.size() == max;
    if (read.has_more) break;
    read.entries.push_back(entry->second);
  }
  return read;
}

Result<StoreRead> MemoryQuorumStore::Read(const KeyRange& range, size_t max) {
  const std::lock_guard lock(mutex_);
  return ReadHere(range, max);
}

Result<StoreLease> MemoryQuorumStore::GrantLease(Duration wanted) {
  const std::lock_guard lock(mutex_);
  leases_[++numbers_] = wanted;
  return StoreLease{numbers_, wanted};
}

Result<bool> MemoryQuorumStore::KeepLease(uint64_t lease) {
  const std::lock_guard lock(mutex_);
  return leases_.contains(lease);
}

Status MemoryQuorumStore::EndLease(uint64_t lease) {
  const std::lock_guard lock(mutex_);
  if (leases_.erase(lease) == 0) return Ok();
  ++revision_;
  std::erase_if(leased_, [&](const auto& leased) {
    if (leased.second == lease) entries_.erase(leased.first);
    return leased.second == lease;
  });
  Hint();
  return Ok();
}

Result<StoreBytes> MemoryQuorumStore::Bytes() {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [key, entry] : entries_) bytes += key.size() + entry.value.size();
  return StoreBytes{bytes, bytes};
}

std::unique_ptr<StoreWatch> MemoryQuorumStore::Watch(const KeyRange&,
                                                     std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  watchers_[++numbers_] = std::move(changed);
  return std::make_unique<Watcher>(*this, numbers_);
}

}  // namespace gp
