#pragma once

#include <functional>
#include <map>
#include <memory>

#include "adapters/outbound/memory/memory_quorum_store.h"
#include "base/rng.h"
#include "simulation/world/timeline.h"

namespace gp {

// The store that the controllers of a world share.  It never forgets a commit and never carries one
// out twice, but its leases end early or late.
class VirtualQuorumStore : public MemoryQuorumStore {
 public:
  using Seen = std::function<void(const StoreTransaction&, Instant sent_at)>;

  // `seen`: called with each transaction that is carried out, at once.
  VirtualQuorumStore(Timeline& timeline, Seen seen) : timeline_(timeline), seen_(std::move(seen)) {}

  Committed Commit(const StoreTransaction& transaction) override {
    return CommitSent(transaction, timeline_.now());
  }
  Committed CommitSent(const StoreTransaction& transaction, Instant sent_at);
  Result<StoreLease> GrantLease(Duration wanted) override;
  Result<bool> KeepLease(uint64_t lease) override;

  // All leases end now.
  void EndLeases();
  // From now on leases last so much longer than granted.
  void StretchLeases(Duration by) { stretch_ = by; }

 private:
  struct Term {
    Duration granted;
    Instant ends_at;
  };
  void Renew(uint64_t lease);

  Timeline& timeline_;
  const Seen seen_;
  std::map<uint64_t, Term> terms_;
  Duration stretch_;
};

// The store as one controller reaches it: requests and answers are lost, and requests come late.
class VirtualStoreClient : public QuorumStore {
 public:
  VirtualStoreClient(VirtualQuorumStore& store, Timeline& timeline, Rng& rng)
      : store_(store), timeline_(timeline), rng_(rng) {}

  Committed Commit(const StoreTransaction& transaction) override;
  Result<StoreRead> Read(const KeyRange& range, size_t max) override;
  Result<StoreLease> GrantLease(Duration wanted) override;
  Result<bool> KeepLease(uint64_t lease) override;
  Status EndLease(uint64_t lease) override;
  Status Forget(uint64_t before) override;
  Result<StoreBytes> Bytes() override;
  // Nothing of the world waits for hints.
  std::unique_ptr<StoreWatch> Watch(const KeyRange&, std::function<void()>) override {
    return nullptr;
  }

  // Nothing passes; what was sent may arrive afterwards.
  void CutUntil(Instant until) { cut_until_ = std::max(cut_until_, until); }
  // Every third request or answer is lost.
  void ShakeUntil(Instant until) { shaky_until_ = std::max(shaky_until_, until); }
  void Heal() { cut_until_ = shaky_until_ = {}; }

 private:
  enum class Passage { kWhole, kAnswerLost, kComesLate, kLost };
  Passage Pass();
  // Sends a request whose answer does not count.  Whether the answer comes.
  bool Send(std::function<void()> request);

  VirtualQuorumStore& store_;
  Timeline& timeline_;
  Rng& rng_;
  Instant cut_until_;
  Instant shaky_until_;
};

}  // namespace gp
