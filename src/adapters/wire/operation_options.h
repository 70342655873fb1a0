#pragma once

// What the proto says of an operation, by its descriptor.

#include <google/protobuf/descriptor.h>

#include "gpu_platform/v1/operation.pb.h"

namespace gp {

// Whether it changes nothing, so that it may be repeated without a request id.
inline bool IsRead(const google::protobuf::MethodDescriptor& method) {
  return method.options().GetExtension(gpu_platform::v1::operation).reads();
}

}  // namespace gp
