#pragma once

// Who may give access to others: nothing that a caller creates allows more than the caller itself.

#include "application/access/caller.h"
#include "base/result.h"

namespace gp {

// The errors of both checks are kPermissionDenied and name the field.
Status CheckMayIssue(const Caller& caller, const AccessToken& token);
// `queue`: where the role is granted or taken; "": everywhere.
Status CheckMayGrant(const Caller& caller, const std::string& queue);
// Admins revoke all tokens, users their own, and a token without the role admin only itself.
bool MayRevoke(const Caller& caller, const AccessToken& token);

}  // namespace gp
