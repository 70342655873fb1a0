#include "adapters/outbound/tcp_ports/held_port_blocks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "domain/model/jobs/ports.h"

namespace gp {
namespace {

// A socket bound to the port on all addresses; closed if somebody has the port on any of them.
Descriptor Bind(int port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  if (!socket.valid() ||
      bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return Descriptor();
  return socket;
}

int GuardOf(int first_port) { return first_port + kPortsInBlock - 1; }

bool AreFree(int first_port) {
  for (int port = first_port; port < GuardOf(first_port); ++port) {
    if (!Bind(port).valid()) return false;
  }
  return true;
}

}  // namespace

int HeldPortBlocks::Take(LeaseId lease, int preferred) {
  const int begin = (preferred - kPortFirst) / kPortsInBlock;
  for (int i = 0; i < kPortBlocks; ++i) {
    const int first = kPortFirst + (begin + i) % kPortBlocks * kPortsInBlock;
    if (IsHeld(first)) continue;
    Descriptor guard = Bind(GuardOf(first));
    if (!guard.valid() || !AreFree(first)) continue;
    blocks_[lease] = {first, std::move(guard)};
    return first;
  }
  return 0;
}

void HeldPortBlocks::Keep(LeaseId lease, int first_port) {
  blocks_[lease] = {first_port, Bind(GuardOf(first_port))};
}

int HeldPortBlocks::Of(LeaseId lease) const {
  const auto found = blocks_.find(lease);
  return found == blocks_.end() ? 0 : found->second.first;
}

void HeldPortBlocks::ReleaseOthers(const std::set<LeaseId>& leases) {
  std::erase_if(blocks_, [&](const auto& one) { return !leases.contains(one.first); });
}

bool HeldPortBlocks::IsHeld(int first) const {
  return std::ranges::any_of(blocks_,
                             [first](const auto& one) { return one.second.first == first; });
}

}  // namespace gp
