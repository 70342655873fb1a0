#pragma once

#include <grpcpp/client_context.h>

#include <memory>
#include <mutex>
#include <string>

#include "adapters/outbound/grpc/control_client.h"
#include "base/result.h"

namespace gp {

// Calls of the controller from a thread of their own, each with a deadline. One thread calls; any
// thread may cancel.
class WatchLine {
 public:
  // `place`: as OpenController takes it.
  explicit WatchLine(std::string place) : place_(std::move(place)) {}

  // A new connection, because local credentials do not outlive a controller.  kUnavailable at once
  // where no controller answers: the screen says so, and somebody may leave it.
  Status Connect();
  // REQUIRES: connected.  Call<v1::Job>(&v1::Control::Stub::GetJob, request).
  template <typename Reply, typename Request>
  Result<Reply> Call(grpc::Status (v1::Control::Stub::*method)(grpc::ClientContext*, const Request&,
                                                               Reply*),
                     const Request& request) {
    grpc::ClientContext context;
    const Current current(*this, context);
    v1::Control::Stub* stub = GP_TRY(Begin(context));
    Reply reply;
    const grpc::Status status = (stub->*method)(&context, request, &reply);
    if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
    return reply;
  }
  // The same for a call with a stream: `read` takes a stub and a context.
  template <typename Read>
  auto Stream(Read read)
      -> decltype(read(std::declval<v1::Control::Stub&>(), std::declval<grpc::ClientContext&>())) {
    grpc::ClientContext context;
    const Current current(*this, context);
    v1::Control::Stub* stub = GP_TRY(Begin(context));
    return read(*stub, context);
  }

  // Ends the call under way and all later ones.
  void Cancel();

 private:
  // The call that Cancel ends.
  class Current {
   public:
    Current(WatchLine& line, grpc::ClientContext& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    WatchLine& line_;
  };

  Result<v1::Control::Stub*> Begin(grpc::ClientContext& context);

  const std::string place_;
  std::unique_ptr<ControlClient> client_;
  std::mutex mutex_;
  bool is_cancelled_ = false;
  grpc::ClientContext* current_ = nullptr;
};

}  // namespace gp
