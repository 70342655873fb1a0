#include "adapters/wire/documents/described.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "base/assert.h"

// protoc writes GP_DESCRIPTORS_FILE from the .proto files, with their comments.
__asm__(
    ".section .rodata.gp_descriptors,\"a\",@progbits\n"
    "gp_descriptors_begin:\n"
    ".incbin \"" GP_DESCRIPTORS_FILE
    "\"\n"
    "gp_descriptors_end:\n"
    ".previous\n");

extern "C" {
extern const char gp_descriptors_begin[];
extern const char gp_descriptors_end[];
}

namespace gp {
namespace {

using google::protobuf::DescriptorPool;

const DescriptorPool& Pool() {
  static const DescriptorPool* const pool = [] {
    google::protobuf::FileDescriptorSet set;
    GP_ASSERT(set.ParseFromArray(gp_descriptors_begin,
                                 static_cast<int>(gp_descriptors_end - gp_descriptors_begin)),
              "what was compiled in is whole");
    auto* made = new DescriptorPool;
    for (const auto& file : set.file())
      GP_ASSERT(made->BuildFile(file) != nullptr, "files come after those that they need");
    return made;
  }();
  return *pool;
}

// Lines of one paragraph are joined; an empty line begins another one.
std::string Joined(const std::string& comment) {
  std::string text;
  bool is_break = false;
  size_t begin = 0;
  while (begin < comment.size()) {
    const size_t end = std::min(comment.find('\n', begin), comment.size());
    const size_t first = std::min(comment.find_first_not_of(' ', begin), end);
    const std::string line = comment.substr(first, end - first);
    if (!line.empty() && !text.empty()) text += is_break ? "\n\n" : " ";
    is_break = line.empty();
    text += line;
    begin = end + 1;
  }
  return text;
}

}  // namespace

const google::protobuf::ServiceDescriptor& DescribedService() {
  const auto* service = Pool().FindServiceByName("gpu_platform.v1.Control");
  GP_ASSERT(service != nullptr, "the service is compiled in");
  return *service;
}

template <typename Descriptor>
std::string CommentOf(const Descriptor& descriptor) {
  google::protobuf::SourceLocation location;
  if (!descriptor.GetSourceLocation(&location)) return "";
  return Joined(location.leading_comments.empty() ? location.trailing_comments
                                                  : location.leading_comments);
}

template std::string CommentOf(const google::protobuf::FieldDescriptor&);
template std::string CommentOf(const google::protobuf::MethodDescriptor&);
template std::string CommentOf(const google::protobuf::Descriptor&);
template std::string CommentOf(const google::protobuf::ServiceDescriptor&);

}  // namespace gp
