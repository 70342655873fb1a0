#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>

namespace gp {

// grpc.reflection.v1, as newer tools call what the library offers as grpc.reflection.v1alpha: its
// messages are the same bytes on the wire, so each is passed on to the library's service.
class ReflectionV1 : public grpc::Service {
 public:
  ReflectionV1();

  // Before the first call.  `server`: offers v1alpha, and outlives the calls.
  void PassOnTo(grpc::Server& server);

 private:
  using Stream = grpc::ServerReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  grpc::Status PassOn(Stream& stream);

  std::shared_ptr<grpc::Channel> library_;
};

}  // namespace gp
