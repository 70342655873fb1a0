#pragma once

#include <algorithm>

namespace gp {

// So many entries has a page of a list, where so many were asked for; 0 or less: nobody said.
inline int PageSize(int asked) {
  constexpr int kDefault = 100;
  constexpr int kMax = 10'000;
  return asked <= 0 ? kDefault : std::min(asked, kMax);
}

}  // namespace gp
