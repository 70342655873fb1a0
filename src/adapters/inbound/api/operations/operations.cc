#include "adapters/inbound/api/operations/operations.h"

#include <array>

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

}  // namespace

std::span<const Operation> AllOperations() { return kOperations; }

}  // namespace gp
