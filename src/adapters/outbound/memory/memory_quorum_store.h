#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ports/outbound/quorum_store.h"

namespace gp {

// A quorum store of one process, for tests and simulations.  It always answers, and its leases end
// only by EndLease.
class MemoryQuorumStore : public QuorumStore {
 public:
  Committed Commit(const StoreTransaction& transaction) override;
  Result<StoreRead> Read(const KeyRange& range, size_t max) override;
  Result<StoreLease> GrantLease(Duration wanted) override;
  Result<bool> KeepLease(uint64_t lease) override;
  Status EndLease(uint64_t lease) override;
  // It remembers nothing.
  Status Forget(uint64_t) override { return Ok(); }
  // Of keys and values.
  Result<StoreBytes> Bytes() override;
  // Hints come on the thread that makes the change, before its call returns.  The store outlives
  // the watch.
  std::unique_ptr<StoreWatch> Watch(const KeyRange& range, std::function<void()> changed) override;

 private:
  class Watcher;
  bool Holds(const StoreCondition& condition) const;
  StoreRead ReadHere(const KeyRange& range, size_t max) const;
  void Put(const StorePut& put);
  void Hint();

  std::mutex mutex_;
  std::map<std::string, StoreEntry> entries_;
  std::map<std::string, uint64_t> leased_;  // the leases of keys
  std::map<uint64_t, Duration> leases_;
  std::map<uint64_t, std::function<void()>> watchers_;
  uint64_t revision_ = 0;
  uint64_t numbers_ = 0;  // of leases and watchers
};

}  // namespace gp
