#pragma once

// Every operation of the API and the role that it requires.  An operation that is not in the table
// is refused to everybody.

#include <span>
#include <string_view>

#include "adapters/inbound/api/callers/caller.h"
#include "base/result.h"

namespace gp {

// Where the caller must have the role.
enum class Reach {
  kSomewhere,   // in any queue; the operation then checks the object
  kEverywhere,  // in all queues
};

struct Operation {
  std::string_view name;  // of the method of gpu_platform.v1.Control
  Role least;
  Reach reach;
};

std::span<const Operation> AllOperations();

// kPermissionDenied: the caller lacks the role, or there is no such operation.
Status Admit(const Caller& caller, std::string_view operation);

}  // namespace gp
