#include "adapters/inbound/api/operations/operations.h"

#include <algorithm>
#include <array>
#include <string>

namespace gp {
namespace {

using enum Role;
using enum Reach;

constexpr std::array kOperations = {
#define GP_UNARY(name, request, reply, role, reach, speed) Operation{#name, role, reach},
#define GP_STREAM(name, role, reach) Operation{#name, role, reach},
#include "gpu_platform/v1/operations.inc"
#undef GP_UNARY
#undef GP_STREAM
};

std::string Wants(const Operation& operation) {
  return std::string("role ") + Name(operation.least) +
         (operation.reach == kEverywhere ? " everywhere" : "");
}

}  // namespace

std::span<const Operation> AllOperations() { return kOperations; }

Status Admit(const Caller& caller, std::string_view operation) {
  const auto found = std::ranges::find(kOperations, operation, &Operation::name);
  if (found == kOperations.end())
    return Fail(PermissionDenied("nobody may use " + std::string(operation)));
  const bool may = found->reach == kEverywhere ? caller.In("") >= found->least
                                               : caller.HasSomewhere(found->least);
  if (may) return Ok();
  const std::string by_token = caller.token.value == 0 ? "" : ", by this token,";
  return Fail(PermissionDenied(caller.user.name + by_token + " lacks the " + Wants(*found) +
                               ", which this requires (gpu-platform whoami)"));
}

}  // namespace gp
