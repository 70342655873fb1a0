#pragma once

#include "base/result.h"

namespace gp {

// Which of several controllers decides.  One thread calls it.
class Leadership {
 public:
  virtual ~Leadership() = default;
  // Returns once this controller may lead; it leads until it resigns or its journal says that it is
  // deposed (AppendEnd::kDeposed), which is what keeps two leaders apart.  kUnavailable: it cannot
  // campaign.
  virtual Status Campaign() = 0;
  // Gives the lead up, so that no other controller has to wait for it.
  virtual void Resign() = 0;
};

}  // namespace gp
