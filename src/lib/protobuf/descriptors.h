#pragma once

namespace gp {

// Registers the descriptors of all messages and services that are compiled in.  A program that
// links gp_descriptors calls it before it uses messages: generated code no longer does it before
// main(). REQUIRES: no other thread runs; protobuf registers without a lock.
void RegisterDescriptors();

}  // namespace gp
