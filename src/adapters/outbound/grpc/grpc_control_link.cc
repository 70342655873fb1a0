#include "adapters/outbound/grpc/grpc_control_link.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "adapters/outbound/grpc/link_connection.h"
#include "base/ignore_result.h"

namespace gp {

GrpcControlLink::GrpcControlLink(const NodeCredentials& credentials)
    : credentials_(credentials), event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

GrpcControlLink::~GrpcControlLink() { close(event_fd_); }

void GrpcControlLink::ClearEvent() {
  uint64_t count = 0;
  IgnoreResult(read(event_fd_, &count, sizeof count), "only the wake-up matters");
}

std::unique_ptr<ControlConnection> GrpcControlLink::Connect(size_t address) {
  const LinkParts parts{credentials_, addresses()[address], identities_, channels_, event_fd_};
  return std::make_unique<LinkConnection>(parts);
}

}  // namespace gp
