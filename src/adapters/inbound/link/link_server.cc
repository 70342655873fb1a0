#include "adapters/inbound/link/link_server.h"

#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/inbound/link/agent_connection.h"
#include "adapters/inbound/link/newcomer.h"
#include "base/ignore_result.h"
#include "lib/sockets/listener.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

class SocketLinkServer : public LinkServer {
 public:
  SocketLinkServer(Api& api, ControlGateway& gateway, NodeGateway& nodes,
                   const LinkServerOptions& options, PassOn pass_on)
      : options_(options),
        pass_on_(std::move(pass_on)),
        admission_(api.guard, {.cluster_token = options.join_token}),
        messages_(options.secrets, options.join_token, api.channels),
        parts_{nodes,           gateway, api,      admission_,          messages_,
               options.metrics, loop_,   scratch_, options.hello_within} {}
  ~SocketLinkServer() override { Shutdown(); }

  Status Listen() {
    if (options_.identity)
      tls_ = GP_TRY(TlsSide::Server(*options_.identity, options_.authority, options_.ticket_key));
    GP_CHECK_OK(ListenLocally());
    if (!options_.listen.empty()) GP_CHECK_OK(ListenOnTcp());
    loop_.WhenCaughtUp([this] { parts_.gateway.Listened(); });
    thread_ = std::thread([this] { loop_.Run(); });
    return Ok();
  }

  int tcp_port() const override { return tcp_port_; }

  void Shutdown() override {
    if (!thread_.joinable()) return;
    loop_.Stop();
    thread_.join();
    unlink(options_.socket.c_str());
  }

 private:
  Status ListenLocally() {
    const SocketAddress address = GP_TRY(LocalAddress(options_.socket));
    unlink(options_.socket.c_str());  // of a controller that was killed: the journal admits one
    Result<Descriptor> listener = ListenAt(address);
    // Callers authenticate by tokens and local credentials.
    if (listener && chmod(options_.socket.c_str(), 0666) != 0)
      listener = Fail(Unavailable(std::strerror(errno)));
    if (!listener) return Fail(CannotListen(options_.socket, listener.error()));
    return Serve(*std::move(listener), true);
  }

  Status ListenOnTcp() {
    std::vector<Descriptor> listeners = GP_TRY(ListenOverTcp(options_.listen));
    tcp_port_ = BoundAddress(listeners.front().get()).port();
    for (Descriptor& listener : listeners) GP_CHECK_OK(Serve(std::move(listener), false));
    return Ok();
  }

  Status Serve(Descriptor socket, bool is_local) {
    const TlsSide* const tls = !is_local && tls_ ? &*tls_ : nullptr;
    Newcomer::Hosts& hosts = is_local ? local_hosts_ : tcp_hosts_;
    hosts.agent = [this, tls](Descriptor agent, bool has_tls) {
      Greet(std::move(agent), has_tls, tls);
    };
    hosts.other = [this, is_local](Descriptor other) { pass_on_(std::move(other), is_local); };
    hosts.patience = options_.hello_within;
    return Listener::Begin(loop_, std::move(socket), [this, &hosts](Descriptor accepted) {
      const auto newcomer = std::make_shared<Newcomer>(loop_, hosts, std::move(accepted));
      IgnoreResult(loop_.Watch(newcomer->descriptor(), EPOLLIN, newcomer),
                   "one that cannot be watched is closed");
      newcomer->OnReady(EPOLLIN);  // most have spoken already
    });
  }

  void Greet(Descriptor agent, bool has_tls, const TlsSide* tls) {
    if (!has_tls && tls != nullptr)
      return AgentConnection::Refuse(std::move(agent),
                                     "this address requires TLS: start the agent with --authority");
    if (has_tls && tls == nullptr)
      return AgentConnection::Refuse(
          std::move(agent), "this address has no TLS: start the agent without --authority");
    IgnoreResult(AgentConnection::Begin(parts_, std::move(agent), tls),
                 "one that cannot be watched is closed");
  }

  const LinkServerOptions options_;
  const PassOn pass_on_;
  Newcomer::Hosts local_hosts_;
  Newcomer::Hosts tcp_hosts_;
  const NodeAdmission admission_;
  const ControllerMessages messages_;
  LinkScratch scratch_;
  EventLoop loop_;
  const LinkParts parts_;
  std::optional<TlsSide> tls_;
  int tcp_port_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LinkServer>> LinkServer::Start(Api& api, ControlGateway& gateway,
                                                      NodeGateway& nodes,
                                                      const LinkServerOptions& options,
                                                      PassOn pass_on) {
  auto server =
      std::make_unique<SocketLinkServer>(api, gateway, nodes, options, std::move(pass_on));
  GP_CHECK_OK(server->Listen());
  return server;
}

}  // namespace gp
