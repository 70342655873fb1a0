#pragma once

// Every operation of the API and who may use it at all.  What is not in the table may be used by
// nobody.

#include <span>
#include <string_view>

#include "adapters/inbound/api/caller.h"
#include "base/result.h"

namespace gp {

// Where the caller must have the role.
enum class Reach {
  kSomewhere,   // in some queue: the object decides then
  kEverywhere,  // it concerns everybody
};

struct Operation {
  std::string_view name;  // of the method of gpu_platform.v1.Control
  Role least;
  Reach reach;
};

std::span<const Operation> AllOperations();

// kPermissionDenied: the caller has not the role, or there is no such operation.
Status Admit(const Caller& caller, std::string_view operation);

}  // namespace gp
