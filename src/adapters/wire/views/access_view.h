#pragma once

// Roles, tokens and the audit as messages.

#include "domain/model/access.h"
#include "gpu_platform/v1/access.pb.h"
#include "ports/outbound/audit_trail.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void GrantView(const RoleKey& key, Role role, v1::Grant* message);
void TokenView(const AccessToken& token, v1::Token* message);
void AuditView(const WrittenAuditEntry& written, v1::AuditEntry* message);

// kInvalidArgument: no role has that name.
Result<Role> RoleNamed(const std::string& name);

}  // namespace gp
