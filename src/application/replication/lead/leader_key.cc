#include "application/replication/lead/leader_key.h"

#include "base/ignore_result.h"

namespace gp {

Result<std::string> LeaderKey::Owner() {
  const StoreRead read = GP_TRY(store_.Read({keys_.Leader(), ""}, 1));
  return read.entries.empty() ? "" : read.entries.front().value;
}

Status LeaderKey::Look() {
  const StoreRead seen = GP_TRY(store_.Read({keys_.Leader(), ""}, 1));
  seen_owner_ = seen.entries.empty() ? "" : seen.entries.front().value;
  seen_term_ = seen.entries.empty() ? 0 : seen.entries.front().created;
  return Ok();
}

Result<bool> LeaderKey::TryTake() {
  GP_CHECK_OK(Look());
  if (!seen_owner_.empty()) return false;
  const StoreLease lease = GP_TRY(store_.GrantLease(wanted_));
  const Result<bool> taken = TakeWith(lease);
  if (taken && *taken) {
    lease_ = lease;
  } else {
    IgnoreResult(store_.EndLease(lease.id), "it ends by itself");
  }
  return taken;
}

// Without an answer the key tells: its value names this process.
Result<bool> LeaderKey::TakeWith(const StoreLease& lease) {
  StoreTransaction take;
  take.conditions = {{keys_.Leader(), StoreCondition::Of::kCreated, 0}};
  take.puts = {{keys_.Leader(), owner_, lease.id}};
  const Committed committed = store_.Commit(take);
  if (committed.end == CommitEnd::kRefused) return false;
  if (committed.end == CommitEnd::kCommitted) {
    term_ = committed.revision;
    return true;
  }
  const StoreRead read = GP_TRY(store_.Read({keys_.Leader(), ""}, 1));
  if (read.entries.empty() || read.entries.front().value != owner_) return false;
  term_ = read.entries.front().created;
  return true;
}

Result<bool> LeaderKey::Leads() const {
  const StoreRead read = GP_TRY(store_.Read({keys_.Leader(), ""}, 1));
  return !read.entries.empty() && read.entries.front().created == term_;
}

Status LeaderKey::Depose(uint64_t term) {
  StoreTransaction depose;
  depose.conditions = {{keys_.Leader(), StoreCondition::Of::kCreated, term}};
  depose.deletions = {{keys_.Leader(), ""}};
  const Committed committed = store_.Commit(depose);
  // Refused: the term is over.
  return committed.end == CommitEnd::kUnknown ? Fail(Unavailable(committed.why)) : Ok();
}

Status LeaderKey::Restate(const std::string& owner) {
  if (term_ == 0) return Fail(Unavailable("this controller does not lead"));
  StoreTransaction restate;
  restate.conditions = {{keys_.Leader(), StoreCondition::Of::kCreated, term_}};
  restate.puts = {{keys_.Leader(), owner, lease_.id}};
  const Committed committed = store_.Commit(restate);
  return committed.end == CommitEnd::kCommitted ? Ok() : Fail(Unavailable(committed.why));
}

void LeaderKey::Resign() {
  if (term_ == 0) return;
  IgnoreResult(store_.EndLease(lease_.id), "it ends by itself");
  term_ = 0;
}

}  // namespace gp
