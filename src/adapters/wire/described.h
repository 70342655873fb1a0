#pragma once

// The .proto files as they were compiled in, with their comments, which the generated code has not.

#include <google/protobuf/descriptor.h>

#include <string>

namespace gp {

// The service gpu_platform.v1.Control, and from there all messages; lives as long as the program.
const google::protobuf::ServiceDescriptor& DescribedService();

// What stands before it or behind it in its line, as one paragraph; empty: nothing.
template <typename Descriptor>
std::string CommentOf(const Descriptor& descriptor);

}  // namespace gp
