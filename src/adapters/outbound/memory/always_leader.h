#pragma once

#include "ports/outbound/leadership.h"

namespace gp {

// The lead of a controller that is the only one: its journal is a file that one process at a time
// can open.
class AlwaysLeader : public Leadership {
 public:
  Status Campaign() override { return Ok(); }
  void Resign() override {}
};

}  // namespace gp
