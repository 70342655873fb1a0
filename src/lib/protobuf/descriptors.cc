// Generated code registers the descriptors of each file before main(): protobuf parses and indexes
// them all, which costs a command that needs none a fifth of its time.  The linker sends these
// calls here instead (--wrap).

#include "lib/protobuf/descriptors.h"

#include <google/protobuf/generated_message_reflection.h>

#include <array>
#include <cstdlib>

using google::protobuf::internal::DescriptorTable;

extern "C" {
// The constructor of google::protobuf::internal::AddDescriptorsRunner, and what is called instead.
void __real__ZN6google8protobuf8internal20AddDescriptorsRunnerC1EPKNS1_15DescriptorTableE(
    void* runner, const DescriptorTable* table);
void __wrap__ZN6google8protobuf8internal20AddDescriptorsRunnerC1EPKNS1_15DescriptorTableE(
    void* runner, const DescriptorTable* table);
}

namespace gp {
namespace {

// Filled before main() by one thread, also before constructors of this file would run.
constinit std::array<const DescriptorTable*, 64> tables{};
constinit size_t tables_size = 0;

}  // namespace

void RegisterDescriptors() {
  for (size_t i = 0; i < tables_size; ++i)
    __real__ZN6google8protobuf8internal20AddDescriptorsRunnerC1EPKNS1_15DescriptorTableE(
        nullptr, tables[i]);  // an empty class
}

}  // namespace gp

void __wrap__ZN6google8protobuf8internal20AddDescriptorsRunnerC1EPKNS1_15DescriptorTableE(
    void*, const DescriptorTable* table) {
  if (gp::tables_size == gp::tables.size()) std::abort();  // more files than any build has
  gp::tables[gp::tables_size++] = table;
}
