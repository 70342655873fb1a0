#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>

namespace gp {

// Serves grpc.reflection.v1, which newer tools call, by forwarding to the library's
// grpc.reflection.v1alpha: the messages have the same bytes on the wire.
class ReflectionV1 : public grpc::Service {
 public:
  ReflectionV1();

  // Call it before the first request.  `server` offers v1alpha and outlives the calls.
  void PassOnTo(grpc::Server& server);

 private:
  using Stream = grpc::ServerReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  grpc::Status PassOn(Stream& stream);

  std::shared_ptr<grpc::Channel> library_;
};

}  // namespace gp
