#include "simulation/world/ports/virtual_quorum_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr const char* kNoAnswer = "the store does not answer";

}  // namespace

Committed VirtualQuorumStore::CommitSent(const StoreTransaction& transaction, Instant sent_at) {
  Committed committed = MemoryQuorumStore::Commit(transaction);
  if (committed.end == CommitEnd::kCommitted) seen_(transaction, sent_at);
  return committed;
}

Result<StoreLease> VirtualQuorumStore::GrantLease(Duration wanted) {
  const StoreLease lease = GP_TRY(MemoryQuorumStore::GrantLease(wanted));
  terms_[lease.id].granted = wanted;
  Renew(lease.id);
  return lease;
}

Result<bool> VirtualQuorumStore::KeepLease(uint64_t lease) {
  if (!GP_TRY(MemoryQuorumStore::KeepLease(lease))) return false;
  Renew(lease);
  return true;
}

void VirtualQuorumStore::Renew(uint64_t lease) {
  Term& term = terms_.at(lease);
  term.ends_at = timeline_.now() + term.granted + stretch_;
  timeline_.At(term.ends_at, [this, lease] {
    if (terms_.at(lease).ends_at <= timeline_.now())
      IgnoreResult(EndLease(lease), "it always answers");
  });
}

void VirtualQuorumStore::EndLeases() {
  for (const auto& [lease, term] : terms_) IgnoreResult(EndLease(lease), "it always answers");
}

VirtualStoreClient::Passage VirtualStoreClient::Pass() {
  if (timeline_.now() < cut_until_) return rng_.Chance(1, 2) ? Passage::kComesLate : Passage::kLost;
  if (timeline_.now() >= shaky_until_ || !rng_.Chance(1, 3)) return Passage::kWhole;
  if (rng_.Chance(1, 3)) return Passage::kAnswerLost;
  return rng_.Chance(1, 2) ? Passage::kComesLate : Passage::kLost;
}

bool VirtualStoreClient::Send(std::function<void()> request) {
  const Passage passage = Pass();
  if (passage == Passage::kWhole || passage == Passage::kAnswerLost) request();
  if (passage == Passage::kComesLate) {
    const int longest_ms = rng_.Chance(1, 4) ? 20'000 : 500;
    timeline_.At(
        std::max(timeline_.now(), cut_until_) + Duration::Milliseconds(rng_.Between(1, longest_ms)),
        request);
  }
  return passage == Passage::kWhole;
}

Committed VirtualStoreClient::Commit(const StoreTransaction& transaction) {
  const auto committed = std::make_shared<Committed>();
  const bool is_answered =
      Send([&store = store_, transaction, committed, sent_at = timeline_.now()] {
        *committed = store.CommitSent(transaction, sent_at);
      });
  return is_answered ? *committed : Committed{CommitEnd::kUnknown, 0, kNoAnswer};
}

Result<StoreRead> VirtualStoreClient::Read(const KeyRange& range, size_t max) {
  if (Pass() != Passage::kWhole) return Fail(Unavailable(kNoAnswer));
  return store_.Read(range, max);
}

Result<StoreLease> VirtualStoreClient::GrantLease(Duration wanted) {
  const auto lease = std::make_shared<StoreLease>();
  const bool is_answered =
      Send([&store = store_, wanted, lease] { *lease = *store.GrantLease(wanted); });
  if (!is_answered) return Fail(Unavailable(kNoAnswer));
  return *lease;
}

Result<bool> VirtualStoreClient::KeepLease(uint64_t lease) {
  const auto keeps = std::make_shared<bool>();
  const bool is_answered =
      Send([&store = store_, lease, keeps] { *keeps = *store.KeepLease(lease); });
  if (!is_answered) return Fail(Unavailable(kNoAnswer));
  return *keeps;
}

Status VirtualStoreClient::EndLease(uint64_t lease) {
  const bool is_answered = Send([&store = store_, lease] {
    IgnoreResult(store.EndLease(lease), "whoever sent it does not hear of it");
  });
  return is_answered ? Ok() : Fail(Unavailable(kNoAnswer));
}

Status VirtualStoreClient::Forget(uint64_t before) {
  if (Pass() != Passage::kWhole) return Fail(Unavailable(kNoAnswer));
  return store_.Forget(before);
}

Result<StoreBytes> VirtualStoreClient::Bytes() {
  if (Pass() != Passage::kWhole) return Fail(Unavailable(kNoAnswer));
  return store_.Bytes();
}

}  // namespace gp
