#pragma once

// Protects against request smuggling: the end of a request and its host must be unambiguous.
// Otherwise a proxy in front, which puts several users' requests on one connection, may read the
// body of one request as the next request.

#include <boost/beast/http/fields.hpp>

#include "base/result.h"

namespace gp {

// kInvalidArgument: several lengths, or one that is not a plain number; a transfer coding other
// than "chunked", or together with a length; no host, several hosts, or a malformed one.
// `version`: 10 or 11.
Status CheckFraming(const boost::beast::http::fields& fields, unsigned version);

}  // namespace gp
