// What tools ask of any gRPC server: whether it serves, and what it offers (grpc.health.v1,
// grpc.reflection.v1 and v1alpha).

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/test_controller.h"

namespace gp {
namespace {

class GrpcTools : public testing::Test {
 protected:
  // One message there and one back, as bytes on the wire.
  std::string Ask(const std::string& method, const std::string& request) {
    grpc::GenericStub stub(
        grpc::CreateChannel(controller_.socket(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, method, &queue);
    const auto step = [&] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    call->StartCall(nullptr);
    EXPECT_TRUE(step());
    grpc::Slice slice(request);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    EXPECT_TRUE(step());
    grpc::ByteBuffer answer;
    call->Read(&answer, nullptr);
    const bool has_answer = step();
    call->WritesDone(nullptr);
    step();
    grpc::Status status;
    call->Finish(&status, nullptr);
    step();
    if (!has_answer) return "no answer: " + status.error_message();
    std::vector<grpc::Slice> slices;
    EXPECT_TRUE(answer.Dump(&slices).ok());
    std::string bytes;
    for (const grpc::Slice& part : slices)
      bytes.append(reinterpret_cast<const char*>(part.begin()), part.size());
    return bytes;
  }

  TestController controller_;
};

TEST_F(GrpcTools, AreToldThatItServes) {
  EXPECT_EQ(Ask("/grpc.health.v1.Health/Check", ""), std::string("\x08\x01", 2))
      << "status: SERVING";
}

TEST_F(GrpcTools, AreToldWhatThereIs) {
  for (const std::string version : {"v1", "v1alpha"}) {
    const std::string method =
        "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo";
    const std::string services = Ask(method, std::string("\x3a\x00", 2));  // list_services: ""
    EXPECT_NE(services.find("gpu_platform.v1.Control"), std::string::npos) << services;
    EXPECT_NE(services.find("grpc.health.v1.Health"), std::string::npos);
    // file_containing_symbol
    const std::string file = Ask(method, "\x22\x17gpu_platform.v1.Control");
    EXPECT_NE(file.find("gpu_platform/v1/control.proto"), std::string::npos) << version;
  }
}

}  // namespace
}  // namespace gp
