#pragma once

#include <memory>

#include "adapters/outbound/etcd/etcd_options.h"
#include "ports/outbound/quorum_store.h"
#include "ports/outbound/store_health.h"

namespace gp {

class EtcdMembers;

// QuorumStore in an etcd (API 3), by gRPC.  Its watches may outlive it.  Any thread.
//
// The end of a commit is unknown after every error, also after those that etcd gives before it
// carries anything out (a request that is too large, a key twice, a lease that has ended, an alarm,
// a missing permission).  Nothing is gained from telling them apart: the caller looks what is
// there, as after a lost answer, and `why` says what to do.
class EtcdStore final : public QuorumStore, public StoreHealth {
 public:
  // Connects when it is first asked.  kInvalidArgument: the options do not fit together.
  static Result<std::unique_ptr<EtcdStore>> Open(const EtcdOptions& options);

  Committed Commit(const StoreTransaction& transaction) override;
  Result<StoreRead> Read(const KeyRange& range, size_t max) override;
  // In whole seconds, rounded up; etcd grants at least 1.5 times its election timeout.
  Result<StoreLease> GrantLease(Duration wanted) override;
  Result<bool> KeepLease(uint64_t lease) override;
  Status EndLease(uint64_t lease) override;
  // A compaction.
  Status Forget(uint64_t before) override;
  Result<StoreBytes> Bytes() override;
  std::vector<StoreMember> Members() override;
  // `changed` is called on the watch's thread, also when it has begun and after each gap.
  std::unique_ptr<StoreWatch> Watch(const KeyRange& range, std::function<void()> changed) override;

 private:
  explicit EtcdStore(const EtcdOptions& options);

  const Duration commit_time_;
  const std::shared_ptr<EtcdMembers> members_;
};

}  // namespace gp
