#pragma once

#include <string>

#include "application/replication/store_keys.h"
#include "ports/outbound/quorum_store.h"

namespace gp {

// What the files of all controllers of a cluster must have in common.  Digests: the store shows
// neither file.
struct ClusterIdentity {
  std::string authority;   // the certificate's fingerprint
  std::string join_token;  // a digest that only holders of the authority's key can compute
  bool operator==(const ClusterIdentity&) const = default;
};

// Whether this controller belongs to the cluster.  Ok too if the cluster has no identity yet.
// Errors: kConflict (with the file that differs, and the fix), kUnavailable, kInternal (damaged).
Status CheckIdentity(QuorumStore& store, const StoreKeys& keys, const ClusterIdentity& own);
// Gives the cluster this identity if it has none.  `term`: of this controller, which leads.
// Errors: kUnavailable.
Status ClaimIdentity(QuorumStore& store, const StoreKeys& keys, const ClusterIdentity& own,
                     uint64_t term);

}  // namespace gp
