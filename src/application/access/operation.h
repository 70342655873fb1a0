#pragma once

#include <span>
#include <string_view>

#include "application/access/caller.h"
#include "base/result.h"

namespace gp {

// Where the caller must have the role.
enum class Reach {
  kSomewhere,   // in any queue; the operation then checks the object
  kEverywhere,  // in all queues
};

// An operation of the API, and the role that it requires.
struct Operation {
  std::string_view name;  // of the method of gpu_platform.v1.Control
  Role least;
  Reach reach;
};

// kPermissionDenied: the caller lacks the role, or the table has no such operation.
Status Admit(std::span<const Operation> operations, const Caller& caller, std::string_view name);

}  // namespace gp
