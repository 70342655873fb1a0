#include "adapters/inbound/grpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <sys/stat.h>

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
  GrpcServer(Api& api, ControlGateway& gateway, NodeGateway& nodes, const ServerOptions& options,
             std::unique_ptr<LocalCredentialIssuer> local_credentials)
      : local_credentials_(std::move(local_credentials)),
        control_(api.control, api.guard, *local_credentials_),
        nodes_(nodes, api, gateway, options.join_token,
               {options.authority, options.node_certificate_life}, options.secrets) {}

  ~GrpcServer() override { Shutdown(); }

  Status Listen(const ServerOptions& options) {
    grpc::EnableDefaultHealthCheckService(true);
    const bool has_reflection = options.listen.empty();
    if (has_reflection) OfferReflection();
    const std::string socket = options.socket_directory + "/control.sock";
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMessageBytesMax);
    grpc::ResourceQuota quota("server");
    quota.SetMaxThreads(kThreadsMax);
    builder.SetResourceQuota(quota);
    // With the default of two, polling threads end and start again all the time.
    builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 4);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    if (!options.listen.empty()) {
      builder.AddListeningPort(options.listen, CredentialsOf(options), &tcp_port_);
    }
    builder.RegisterService(&control_);
    builder.RegisterService(&nodes_);
    if (has_reflection) builder.RegisterService(&reflection_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return Fail(Unavailable("cannot listen on " + socket +
                              (options.listen.empty() ? "" : " and " + options.listen) +
                              ": is another controller running there?"));
    }
    if (has_reflection) reflection_.PassOnTo(*server_);
    chmod(socket.c_str(), 0666);  // callers authenticate by local credentials
    return Ok();
  }

  int tcp_port() const override { return tcp_port_; }

  void Shutdown() override {
    if (server_ == nullptr) return;
    server_->GetHealthCheckService()->Shutdown();
    server_->Shutdown(DeadlineIn(std::chrono::milliseconds(500)));
    server_->Wait();
    server_.reset();
  }

 private:
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
  std::unique_ptr<grpc::Server> server_;
  int tcp_port_ = 0;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(Api& api, ControlGateway& gateway, NodeGateway& nodes,
                                              const ServerOptions& options) {
  auto local_credentials =
      GP_TRY(LocalCredentialIssuer::Listen(options.socket_directory + "/ticket.sock"));
  auto server =
      std::make_unique<GrpcServer>(api, gateway, nodes, options, std::move(local_credentials));
  GP_CHECK_OK(server->Listen(options));
  return server;
}

}  // namespace gp
