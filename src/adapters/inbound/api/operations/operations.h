#pragma once

// The table of operations, generated from control.proto.  An operation that is not in it is refused
// to everybody.

#include <span>
#include <string_view>

#include "application/access/operation.h"

namespace gp {

std::span<const Operation> AllOperations();

inline Status Admit(const Caller& caller, std::string_view operation) {
  return Admit(AllOperations(), caller, operation);
}

}  // namespace gp
