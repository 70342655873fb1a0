#include "cmd/serve/policy_with.h"

#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"

namespace gp {

Policy BuiltInPolicy() {
  Policy policy;
  policy.faults.xids = XidRules();
  return policy;
}

Result<Policy> PolicyWith(const std::string& file) {
  Policy policy = BuiltInPolicy();
  if (!file.empty()) GP_TRY(ReadPolicyFile(file, XidRules()))(policy);
  return policy;
}

}  // namespace gp
