#include "application/access/operation.h"

#include <algorithm>
#include <string>

namespace gp {
namespace {

std::string Wants(const Operation& operation) {
  return std::string("role ") + Name(operation.least) +
         (operation.reach == Reach::kEverywhere ? " everywhere" : "");
}

}  // namespace

Status Admit(std::span<const Operation> operations, const Caller& caller, std::string_view name) {
  const auto found = std::ranges::find(operations, name, &Operation::name);
  if (found == operations.end())
    return Fail(PermissionDenied("nobody may use " + std::string(name)));
  const bool may = found->reach == Reach::kEverywhere ? caller.In("") >= found->least
                                                      : caller.HasSomewhere(found->least);
  if (may) return Ok();
  const std::string by_token = caller.token.value == 0 ? "" : ", by this token,";
  return Fail(PermissionDenied(caller.user.name + by_token + " lacks the " + Wants(*found) +
                               ", which this requires (gpu-platform whoami)"));
}

}  // namespace gp
