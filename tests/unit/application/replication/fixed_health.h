#pragma once

#include <vector>

#include "ports/outbound/store_health.h"

namespace gp {

// A store whose machines are as a test says.
struct FixedHealth : StoreHealth {
  std::vector<StoreMember> Members() override { return members; }
  std::vector<StoreMember> members;
};

}  // namespace gp
