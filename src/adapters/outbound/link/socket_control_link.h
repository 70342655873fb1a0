#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/link/link_connection.h"
#include "files/descriptor.h"
#include "ports/outbound/control_link.h"

namespace gp {

// ControlLink over sockets of its own (node.proto).  It has no threads: connections go on when
// their news is taken, and an epoll descriptor says when that is due.
class SocketControlLink : public ControlLink {
 public:
  // What `options` refers to outlives this object.
  explicit SocketControlLink(LinkOptions options);

  const std::vector<std::string>& addresses() const override { return options_.addresses; }
  std::unique_ptr<ControlConnection> Connect(size_t address) override;
  int EventDescriptor() const override { return epoll_.get(); }
  void ClearEvent() override;

 private:
  const LinkOptions options_;
  const Descriptor epoll_;
  const Descriptor wake_;  // for news that no socket shows
  KeptResumption kept_;    // for all addresses: their controllers have one authority
};

}  // namespace gp
