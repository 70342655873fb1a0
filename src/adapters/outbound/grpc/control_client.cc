#include "adapters/outbound/grpc/control_client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/wire/error.h"

namespace gp {
namespace {

Result<std::string> FetchTicket(const std::string& path) {
  const Error nobody = Unavailable("no controller answers on " + path +
                                   " (start one: gpu-platform serve; or name another: --server DIRECTORY)");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Fail(InvalidArgument(path + ": too long for a socket"));
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Fail(Internal(std::strerror(errno)));
  std::string ticket;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    char buffer[128];
    for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;) ticket.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  if (ticket.size() != 64) return Fail(nobody);
  return ticket;
}

}  // namespace

Result<std::unique_ptr<ControlClient>> ControlClient::Open(const std::string& socket_directory) {
  std::string ticket = GP_TRY(FetchTicket(socket_directory + "/ticket.sock"));
  auto stub = v1::Control::NewStub(OpenChannel("unix:" + socket_directory + "/control.sock"));
  return std::unique_ptr<ControlClient>(new ControlClient(std::move(ticket), std::move(stub)));
}

Error ControlClient::ErrorOf(const grpc::Status& status) {
  return {ErrorCodeFromGrpc(status.error_code()), status.error_message()};
}

}  // namespace gp
