#pragma once

// The command line's line to a controller: a stub, and contexts that carry the caller's ticket.

#include <grpcpp/client_context.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

class ControlClient {
 public:
  // `socket_directory` holds the controller's control.sock and ticket.sock.
  // kUnavailable: no controller answers there.
  static Result<std::unique_ptr<ControlClient>> Open(const std::string& socket_directory);

  v1::Control::Stub& stub() { return *stub_; }
  // Puts the ticket into a fresh context.
  void Prepare(grpc::ClientContext& context) const { context.AddMetadata("gp-ticket", ticket_); }

  // One call with its answer.  `method` is a member of the stub: &v1::Control::Stub::GetJob.
  template <typename Reply, typename Request, typename Method>
  Result<Reply> Call(Method method, const Request& request) {
    grpc::ClientContext context;
    Prepare(context);
    Reply reply;
    const grpc::Status status = (stub_.get()->*method)(&context, request, &reply);
    if (!status.ok()) return Fail(ErrorOf(status));
    return reply;
  }
  static Error ErrorOf(const grpc::Status& status);

 private:
  ControlClient(std::string ticket, std::unique_ptr<v1::Control::Stub> stub)
      : ticket_(std::move(ticket)), stub_(std::move(stub)) {}

  std::string ticket_;
  std::unique_ptr<v1::Control::Stub> stub_;
};

}  // namespace gp
