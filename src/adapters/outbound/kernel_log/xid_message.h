#pragma once

// Information in the driver's message beyond the number of an XID.

#include <string_view>

#include "domain/faults/xid.h"

namespace gp {

// What the GPU needs now, from XID 154. kUnknown for any other number, and for unknown words and
// codes.
DriverAdvice AdviceOf(int xid, std::string_view message);
// NVLink's XIDs contain a word for their severity.  True if there is none.
bool IsFatal(int xid, std::string_view message);
// Whether an NVLink error concerns the device at the other end of the link, by the sub-code in its
// first register.
bool IsOfPeer(int xid, std::string_view message);

}  // namespace gp
