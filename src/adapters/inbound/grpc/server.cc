#include "adapters/inbound/grpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <mutex>

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/node_service.h"
#include "adapters/inbound/grpc/reflection_v1.h"
#include "adapters/wire/call_deadline.h"

namespace gp {
namespace {

constexpr int kMessageBytesMax = 16 << 20;
constexpr int kThreadsMax = 2'048;

// Agents authenticate by certificates, users by tokens, and new agents by the join token.
std::shared_ptr<grpc::ServerCredentials> CredentialsOf(const ServerOptions& options) {
  if (!options.identity) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions ssl(GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  ssl.pem_root_certs = options.authority->certificate();
  ssl.pem_key_cert_pairs.push_back({options.identity->key, options.identity->certificate});
  return grpc::SslServerCredentials(ssl);
}

class GrpcServer : public Server {
 public:
  GrpcServer(Api& api, ControlGateway& gateway, const ServerOptions& options,
             std::unique_ptr<LocalCredentialIssuer> local_credentials)
      : local_credentials_(std::move(local_credentials)),
        control_(api.control, api.guard, *local_credentials_),
        nodes_(api, gateway, options.joins, {options.authority, options.node_certificate_life}) {}

  ~GrpcServer() override { Shutdown(); }

  Status Start(const ServerOptions& options) {
    grpc::EnableDefaultHealthCheckService(true);
    const bool has_reflection = !options.has_tcp;
    if (has_reflection) OfferReflection();
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMessageBytesMax);
    grpc::ResourceQuota quota("server");
    quota.SetMaxThreads(kThreadsMax);
    builder.SetResourceQuota(quota);
    // Clients that know several controllers ask each five seconds whether this one is there; by
    // default more than one ping in five minutes ends a connection.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 3'000);
    // With the default of two, polling threads end and start again all the time.
    builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 4);
    local_ = Acceptor(builder, grpc::InsecureServerCredentials());
    if (options.has_tcp) tcp_ = Acceptor(builder, CredentialsOf(options));
    builder.RegisterService(&control_);
    builder.RegisterService(&nodes_);
    if (has_reflection) builder.RegisterService(&reflection_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return Fail(Internal("gRPC does not start"));
    if (has_reflection) reflection_.PassOnTo(*server_);
    return Ok();
  }

  void Serve(Descriptor connection, bool is_local) override {
    ExternalAcceptor* const acceptor = is_local ? local_.get() : tcp_.get();
    if (acceptor == nullptr) return;
    ExternalAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = -1;
    parameters.fd = connection.Release();
    acceptor->HandleNewConnection(&parameters);
  }

  void Shutdown() override {
    if (server_ == nullptr) return;
    server_->GetHealthCheckService()->Shutdown();
    server_->Shutdown(DeadlineIn(std::chrono::milliseconds(500)));
    server_->Wait();
    server_.reset();
  }

 private:
  using ExternalAcceptor = grpc::experimental::ExternalConnectionAcceptor;
  using ExternalConnections = grpc::ServerBuilder::experimental_type::ExternalConnectionType;

  static std::unique_ptr<ExternalAcceptor> Acceptor(
      grpc::ServerBuilder& builder, std::shared_ptr<grpc::ServerCredentials> credentials) {
    return builder.experimental().AddExternalConnectionAcceptor(ExternalConnections::FROM_FD,
                                                                std::move(credentials));
  }

  // Only on the local socket: the library does not authenticate callers, and each reflection stream
  // holds a thread.
  static void OfferReflection() {
    static std::once_flag once;
    std::call_once(once, [] { grpc::reflection::InitProtoReflectionServerBuilderPlugin(); });
  }

  std::unique_ptr<LocalCredentialIssuer> local_credentials_;
  ControlService control_;
  NodeService nodes_;
  ReflectionV1 reflection_;
  std::unique_ptr<ExternalAcceptor> local_;
  std::unique_ptr<ExternalAcceptor> tcp_;  // nullptr: no connection comes from there
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(Api& api, ControlGateway& gateway,
                                              const ServerOptions& options) {
  auto local_credentials =
      GP_TRY(LocalCredentialIssuer::Listen(options.socket_directory + "/ticket.sock"));
  auto server = std::make_unique<GrpcServer>(api, gateway, options, std::move(local_credentials));
  GP_CHECK_OK(server->Start(options));
  return server;
}

}  // namespace gp
