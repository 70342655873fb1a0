#include "application/replication/members/cluster_identity.h"

#include "base/bytes.h"

namespace gp {
namespace {

constexpr uint64_t kIdentityFormat = 1;

Error Differs(const std::string& file) {
  return Conflict("the file " + file +
                  " of this controller's state directory is not that of the cluster: copy it from "
                  "another controller (docs/controllers.md)");
}

}  // namespace

Status CheckIdentity(QuorumStore& store, const StoreKeys& keys, const ClusterIdentity& own) {
  const StoreRead read = GP_TRY(store.Read({keys.Identity(), ""}, 1));
  if (read.entries.empty()) return Ok();
  ByteReader reader(read.entries.front().value);
  const bool is_known = reader.U64() == kIdentityFormat;
  ClusterIdentity common;
  common.authority = reader.String();
  common.join_token = reader.String();
  if (!is_known || !reader.ok() || !reader.AtEnd())
    return Fail(Internal("the controllers' store: key " + keys.Identity() + " is damaged"));
  if (common.authority != own.authority) return Fail(Differs("authority.pem"));
  if (common.join_token != own.join_token) return Fail(Differs("join-token"));
  return Ok();
}

Status ClaimIdentity(QuorumStore& store, const StoreKeys& keys, const ClusterIdentity& own,
                     uint64_t term) {
  ByteWriter writer;
  writer.U64(kIdentityFormat);
  writer.String(own.authority);
  writer.String(own.join_token);
  StoreTransaction claim;
  claim.conditions = {{keys.Leader(), StoreCondition::Of::kCreated, term},
                      {keys.Identity(), StoreCondition::Of::kCreated, 0}};
  claim.puts = {{keys.Identity(), writer.Take()}};
  const Committed committed = store.Commit(claim);
  // A cluster that has one has refused.
  return committed.end == CommitEnd::kUnknown ? Fail(Unavailable(committed.why)) : Ok();
}

}  // namespace gp
