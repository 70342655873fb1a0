#pragma once

// Products of two 64-bit numbers.

namespace gp {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

}  // namespace gp
