#include "adapters/inbound/grpc/reflection_v1.h"

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/method_handler.h>

namespace gp {
namespace {

using Upstream = grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
using grpc::internal::RpcMethod;

constexpr char kHere[] = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr char kThere[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

}  // namespace

ReflectionV1::ReflectionV1() {
  using Handler =
      grpc::internal::BidiStreamingHandler<ReflectionV1, grpc::ByteBuffer, grpc::ByteBuffer>;
  const auto call = [](ReflectionV1* service, grpc::ServerContext*, Stream* stream) {
    return service->PassOn(*stream);
  };
  AddMethod(new grpc::internal::RpcServiceMethod(kHere, RpcMethod::BIDI_STREAMING,
                                                 new Handler(call, this)));
}

void ReflectionV1::PassOnTo(grpc::Server& server) { library_ = server.InProcessChannel({}); }

// Each request has one answer, in the same order.
grpc::Status ReflectionV1::PassOn(Stream& stream) {
  grpc::ClientContext context;
  const RpcMethod method(kThere, RpcMethod::BIDI_STREAMING, library_);
  const std::unique_ptr<Upstream> upstream(
      grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(
          library_.get(), method, &context));
  grpc::ByteBuffer message;
  while (stream.Read(&message) && upstream->Write(message) && upstream->Read(&message) &&
         stream.Write(message)) {
  }
  upstream->WritesDone();
  return upstream->Finish();
}

}  // namespace gp
