#include "adapters/outbound/grpc/channel.h"

#include <grpcpp/client_context.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {
namespace {

namespace v1 = gpu_platform::v1;
using std::chrono::seconds;

// Answers each call with "unimplemented".
class Listener {
 public:
  explicit Listener(int port = 0) : port_(port) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(),
                             &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~Listener() { server_->Shutdown(); }
  int port() const { return port_; }

 private:
  v1::Control::Service service_;
  int port_;
  std::unique_ptr<grpc::Server> server_;
};

grpc::StatusCode Call(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  v1::WhoAmIReply reply;
  return v1::Control::NewStub(channel)->WhoAmI(&context, {}, &reply).error_code();
}

TEST(Channel, SaysWhetherSomebodyListens) {
  auto listener = std::make_unique<Listener>();
  const std::string address = "127.0.0.1:" + std::to_string(listener->port());
  EXPECT_TRUE(TryConnecting(*OpenChannel(address), seconds(10)));
  listener.reset();
  EXPECT_FALSE(TryConnecting(*OpenChannel(address), seconds(10)));
}

TEST(Channel, ConnectsAgainForWhoWaits) {
  auto listener = std::make_unique<Listener>();
  const int port = listener->port();
  const auto channel = OpenChannel("127.0.0.1:" + std::to_string(port));
  ASSERT_EQ(Call(channel), grpc::UNIMPLEMENTED);
  listener.reset();
  EXPECT_EQ(Call(channel), grpc::UNAVAILABLE);
  EXPECT_EQ(Call(channel), grpc::UNAVAILABLE);
  const Listener again(port);
  AwaitConnected(*channel, seconds(10));
  EXPECT_EQ(Call(channel), grpc::UNIMPLEMENTED);
}

TEST(Channel, SeesThatItsConnectionBrokeMeanwhile) {
  auto listener = std::make_unique<Listener>();
  const int port = listener->port();
  const auto channel = OpenChannel("127.0.0.1:" + std::to_string(port));
  ASSERT_EQ(Call(channel), grpc::UNIMPLEMENTED);
  listener.reset();
  const Listener again(port);
  AwaitConnected(*channel, seconds(10));
  EXPECT_EQ(channel->GetState(false), GRPC_CHANNEL_READY);
  EXPECT_EQ(Call(channel), grpc::UNIMPLEMENTED);
}

}  // namespace
}  // namespace gp
