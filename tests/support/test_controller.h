#pragma once

// A controller within the test, with its servers in a directory of its own.

#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/server.h"
#include "adapters/inbound/link/link_server.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "infrastructure/system_clock.h"
#include "tests/support/scratch.h"

namespace gp {

struct TestController {
  static constexpr const char* kJoinToken = "the-join-token";
  static constexpr Duration kCertificateLife = Duration::Minutes(60);

  const Scratch scratch;
  const std::string& directory = scratch.path();
  SystemClock clock;
  MemoryJournal journal;
  std::optional<Authority> authority;  // nullopt: no TCP
  std::unique_ptr<ControlLoop> loop = ControlLoop::Open(journal, clock, {}).value();
  NodeConnections nodes{*loop};
  Api api{*loop, nodes, ControlApi::About{"test", {}, nullptr}};
  std::unique_ptr<Server> grpc;
  std::unique_ptr<LinkServer> links;

  JoinRules joins{kJoinToken};
  enum class With { kLocalSocket, kTls, kTlsSingleUseJoins };
  // `starts`: the writer; a join without it is not answered.
  explicit TestController(With with = With::kLocalSocket, bool starts = true) {
    std::signal(SIGPIPE, SIG_IGN);  // as daemons do
    joins.single_use = with == With::kTlsSingleUseJoins;
    if (with != With::kLocalSocket)
      authority = Authority::From(Authority::Make(clock.Now()).value()).value();
    const auto identity =
        authority ? std::optional(authority->ForController({"127.0.0.1"}, clock.Now()).value())
                  : std::nullopt;
    Listen(identity, directory, grpc, links);
    loop->AddObserver(&nodes);
    for (CommitObserver* observer : api.Observers()) loop->AddObserver(observer);
    if (starts) loop->Start();
  }
  ~TestController() {
    Shutdown();
    loop->Stop();
  }

  // Servers of this controller with sockets in that directory; with an identity also over TCP.
  void Listen(const std::optional<Identity>& identity, const std::string& in,
              std::unique_ptr<Server>& grpc_server, std::unique_ptr<LinkServer>& link_server) {
    ServerOptions options{in, identity.has_value(), joins};
    options.authority = authority ? &*authority : nullptr;
    options.node_certificate_life = kCertificateLife;
    options.identity = identity;
    grpc_server = Server::Start(api, *loop, options).value();
    LinkServerOptions addresses{in + "/control.sock", identity ? "127.0.0.1:0" : "", kJoinToken};
    addresses.identity = identity;
    addresses.authority = authority ? authority->certificate() : "";
    addresses.ticket_key = authority ? authority->SecretFor("tickets") : "";
    link_server = LinkServer::Start(api, *loop, nodes, addresses,
                                    [server = grpc_server.get()](Descriptor other, bool is_local) {
                                      server->Serve(std::move(other), is_local);
                                    })
                      .value();
  }
  void Shutdown() {
    links->Shutdown();
    grpc->Shutdown();
  }

  std::string socket() const { return "unix:" + directory + "/control.sock"; }
  std::string tcp_address() const { return "127.0.0.1:" + std::to_string(links->tcp_port()); }
};

}  // namespace gp
