#include "domain/cluster/state/leases.h"

namespace gp {

const Lease* LeaseStore::Find(LeaseId id) const {
  const auto it = all.find(id);
  return it == all.end() ? nullptr : &it->second;
}

}  // namespace gp
