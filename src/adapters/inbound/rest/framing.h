#pragma once

// Where a request ends, and whom it is for, must be beyond doubt: another reader before us, with
// users of its own on one connection, may otherwise take for the next request what we take for the
// body of the last one.

#include <boost/beast/http/fields.hpp>

#include "base/result.h"

namespace gp {

// kInvalidArgument: more lengths than one, or one that is no plain number; a coding that is not
// "chunked" alone, or beside a length; no host, more than one, or one that is none.  `version`: 10
// or 11.
Status CheckFraming(const boost::beast::http::fields& fields, unsigned version);

}  // namespace gp
