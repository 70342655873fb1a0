#include "adapters/inbound/api/operations/unary_methods.h"

#include <algorithm>
#include <array>

namespace gp {
namespace {

using google::protobuf::Message;

template <typename Request, typename Reply,
          Status (ControlApi::*kMethod)(const Caller&, const Request&, Reply*)>
constexpr UnaryMethod Bound(std::string_view name, bool takes_long) {
  return {name, []() -> std::unique_ptr<Message> { return std::make_unique<Request>(); },
          []() -> std::unique_ptr<Message> { return std::make_unique<Reply>(); },
          [](ControlApi& api, const Caller& caller, const Message& request, Message* reply) {
            return (api.*kMethod)(caller, static_cast<const Request&>(request),
                                  static_cast<Reply*>(reply));
          },
          takes_long};
}

constexpr bool kSlow = true;
constexpr bool kFast = false;
constexpr std::array kMethods = {
#define GP_UNARY(name, request, reply, role, reach, speed) \
  Bound<v1::request, v1::reply, &ControlApi::name>(#name, speed),
#define GP_STREAM(name, role, reach)
#include "gpu_platform/v1/operations.inc"
#undef GP_UNARY
#undef GP_STREAM
};

}  // namespace

std::span<const UnaryMethod> UnaryMethods() { return kMethods; }

const UnaryMethod* UnaryMethodNamed(std::string_view name) {
  const auto found = std::ranges::find(kMethods, name, &UnaryMethod::name);
  return found == kMethods.end() ? nullptr : &*found;
}

}  // namespace gp
