#pragma once

// The embedded .proto files with their comments, which the generated code lacks.

#include <google/protobuf/descriptor.h>

#include <string>

namespace gp {

// The service gpu_platform.v1.Control, which leads to all messages; lives until the program ends.
const google::protobuf::ServiceDescriptor& DescribedService();

// The comment before it or at the end of its line, joined into paragraphs; empty: none.
template <typename Descriptor>
std::string CommentOf(const Descriptor& descriptor);

}  // namespace gp
