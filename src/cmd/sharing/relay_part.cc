#include "cmd/sharing/relay_part.h"

#include "infrastructure/host_name.h"
#include "lib/http/web_address.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

std::string HostOf(const std::string& listen) {
  const Result<HostPort> address = SplitAddress(listen);
  return address ? address->host : "";
}

void SetPort(std::string& listen, int port) {
  listen = listen.substr(0, listen.rfind(':') + 1) + std::to_string(port);
}

// Of a door, for others; "": only this machine can reach it, and others may know it by a name.
std::string AddressFor(const std::string& listen, const std::string& host) {
  if (listen.empty()) return "";
  if (IsLoopback(HostOf(listen)) && !IsLoopback(host)) return "";
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + listen.substr(listen.rfind(':'));
}

}  // namespace

Status RelayPart::Start() {
  if (config_.sharing.store.empty()) return Ok();
  std::vector<std::string*> doors;
  for (std::string* listen : {&config_.listen.grpc, &config_.listen.http})
    if (!listen->empty()) doors.push_back(listen);
  if (doors.empty()) return Ok();
  Relay::Options options;
  for (const std::string* door : doors) options.doors.push_back(*door);
  relay_ = GP_TRY(Relay::Start(options));
  for (size_t i = 0; i < doors.size(); ++i) SetPort(*doors[i], relay_->ports()[i]);
  return Ok();
}

// Where it listens at one address of this machine, and no other is named, others use that.
AdvertisedAddresses RelayPart::Addresses() const {
  const std::string& named = config_.sharing.advertise;
  const auto address = [&](const std::string& listen) {
    const std::string host = HostOf(listen);
    const bool is_any = host.empty() || host == "0.0.0.0" || host == "::";
    return AddressFor(listen, !named.empty() ? named : is_any ? HostName() : host);
  };
  return {address(config_.listen.grpc), address(config_.listen.http)};
}

std::string RelayPart::Doors() const {
  if (!relay_) return "";
  const std::string& grpc = config_.listen.grpc;
  const std::string& http = config_.listen.http;
  const auto port = [](const std::string& listen) { return listen.substr(listen.rfind(':') + 1); };
  return ", and passes clients on to the leader" +
         (grpc.empty() ? "" : ", gRPC at port " + port(grpc)) +
         (http.empty() ? "" : ", HTTP at port " + port(http));
}

// A leader whose address is this controller's own is not there: it was this controller before it
// began again, or both are reached from their own machines alone.
void RelayPart::LeaderIs(const LeaderEntry& leader) {
  if (!relay_) return;
  const AdvertisedAddresses own = Addresses();
  Relay::Leader to{.process = leader.process, .addresses = {}};
  const auto add = [&to](const std::string& address, const std::string& own_address) {
    to.addresses.push_back(address == own_address ? "" : address);
  };
  if (!config_.listen.grpc.empty()) add(leader.addresses.grpc, own.grpc);
  if (!config_.listen.http.empty()) add(leader.addresses.http, own.http);
  relay_->LeaderIs(std::move(to));
}

}  // namespace gp
