#pragma once

// The consequences of an XID, in plain words.

#include <string>

#include "domain/faults/xid.h"

namespace gp {

// `xid`: the XID of the rule, if it is known; the text of 154 is the driver's advice.
std::string JobsText(const XidRule& rule, int xid = 0);
std::string GpuText(const XidRule& rule, int xid = 0);

// "A100, H100" of the catalogue's "a100+h100"; empty: empty.
std::string ProductsText(const std::string& products);

// Whether the rule is milder than the other, for jobs or for the GPU.
bool IsMilder(const XidRule& rule, const XidRule& than);

}  // namespace gp
