#pragma once

namespace gp {

// Makes all messages and services that are compiled in known by name: for gRPC's reflection, and
// whatever else looks them up in protobuf's generated pool by name.  A type's own descriptor()
// needs no call.  Any thread; after the first call it does nothing.
void RegisterDescriptors();

}  // namespace gp
