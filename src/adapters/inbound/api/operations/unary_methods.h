#pragma once

// The operations with one request and one answer, by name, for transports that handle messages by
// their descriptors.

#include <google/protobuf/message.h>

#include <memory>
#include <span>
#include <string_view>

#include "adapters/inbound/api/control_api.h"

namespace gp {

struct UnaryMethod {
  using Message = google::protobuf::Message;

  std::string_view name;  // of the method of gpu_platform.v1.Control
  std::unique_ptr<Message> (*new_request)();
  std::unique_ptr<Message> (*new_reply)();
  Status (*call)(ControlApi& api, const Caller& caller, const Message& request, Message* reply);
  bool takes_long = false;  // may take seconds on a large cluster
};

std::span<const UnaryMethod> UnaryMethods();
// nullptr: no method has that name.
const UnaryMethod* UnaryMethodNamed(std::string_view name);

}  // namespace gp
