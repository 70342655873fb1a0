#pragma once

// The rules for redirects.  Pure.  Only for this folder.

#include "base/result.h"
#include "lib/http/http_message.h"

namespace gp {

// 301, 302, 303, 307 or 308.
bool IsRedirect(int status);

// The request by which a redirect is followed: the same one to the new address; after 303 a GET
// without body.  To another origin (scheme, host, port) only headers go that tell nothing about the
// caller (Accept, Range, If-…, User-Agent): no Authorization, no cookie, no token of any name.
// kPermissionDenied: from https to http; no such address; a body would go to another origin, or is
// read from a source and cannot be sent again; 301 and 302 of a request that is neither GET nor
// HEAD, for which clients differ.
Result<WebRequest> FollowRedirect(const WebRequest& request, const WebResponse& redirect);

}  // namespace gp
