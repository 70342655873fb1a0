#pragma once

// What the driver's own words say beyond the number of an XID.

#include <string_view>

#include "domain/faults/xid.h"

namespace gp {

// XID 154 says what the GPU needs now.  kUnknown for any other number, and for words and codes that
// nobody knows.
DriverAdvice AdviceOf(int xid, std::string_view message);
// NVLink's XIDs carry a word for their severity.  True where there is none.
bool IsFatal(int xid, std::string_view message);
// Whether an NVLink error is of the device at the other end of the link: by the sub-code in its
// first register.
bool IsOfPeer(int xid, std::string_view message);

}  // namespace gp
