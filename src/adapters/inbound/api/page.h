#pragma once

#include <algorithm>

namespace gp {

// Entries on a page of a list.  `asked`: as requested; 0 or less: not given.
inline int PageSize(int asked) {
  constexpr int kDefault = 100;
  constexpr int kMax = 10'000;
  return asked <= 0 ? kDefault : std::min(asked, kMax);
}

}  // namespace gp
