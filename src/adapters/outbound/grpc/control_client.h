#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/outbound/grpc/controller_channel.h"
#include "base/result.h"
#include "gpu_platform/v1/control.grpc.pb.h"
#include "lib/http/http_line.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// An id that no other request has.
std::string NewRequestId();

// The command line's connection to a controller.  On the controller's machine single calls go over
// HTTP on its socket, which is faster after a pause and needs no local credential; streams, and all
// calls from elsewhere, go over gRPC.  With the addresses of several controllers a call that nobody
// answers is repeated at the next one, until somebody does, or nobody did for 15 seconds: a read,
// a change because each try has the same request id.  One thread uses it.
class ControlClient {
 public:
  // Whether it waits some seconds for a controller that was killed, and may be starting again, or
  // for another one that takes over.
  enum class WhenKilled { kWait, kFail };

  // `socket_directory` holds the controller's sockets.  `secret`: of a token, for whose user the
  // client acts; empty: the kernel identifies the caller.  kUnavailable: no controller answers.
  static Result<std::unique_ptr<ControlClient>> Open(const std::string& socket_directory,
                                                     const std::string& secret = "",
                                                     WhenKilled when_killed = WhenKilled::kWait);
  // `authority`: as in ChannelSecurity.  Does not connect yet: the first call fails if no
  // controller answers.
  static std::unique_ptr<ControlClient> OpenRemote(std::shared_ptr<ControllerAddresses> addresses,
                                                   const std::string& secret,
                                                   const std::string& authority,
                                                   WhenKilled when_killed = WhenKilled::kWait);

  // For streams, and for calls with a deadline; adds the caller's credential to the new context.
  // kUnavailable: no controller answers.
  Result<v1::Control::Stub*> Streams(grpc::ClientContext& context);

  // One call with its answer: Call<v1::Job>("GetJob", request).  REQUIRES: these are the method's
  // message types.
  template <typename Reply>
  Result<Reply> Call(std::string_view method, const google::protobuf::Message& request) {
    Reply reply;
    GP_CHECK_OK(Ask(method, request, &reply));
    return reply;
  }
  // kUnavailable also for a call that the controller ended because it stops.
  static Error ErrorOf(const grpc::Status& status);
  // The connection broke, or there was none: nothing is known of the call.
  static bool IsLost(const grpc::Status& status);
  // True: the stream broke, and another controller may go on with it.
  bool MayGoOn(const grpc::Status& status) const;

 private:
  using Message = google::protobuf::Message;

  ControlClient(std::string socket_directory, std::unique_ptr<HttpLine> line, std::string secret)
      : socket_directory_(std::move(socket_directory)),
        line_(std::move(line)),
        secret_(std::move(secret)) {}
  Status Ask(std::string_view method, const Message& request, Message* reply);
  // One try.
  Status AskOnce(const std::string& path, const std::string& id, const Message& request,
                 Message* reply);
  // `id`: of the request; empty: it has none.
  Status AskByHttp(const std::string& path, const std::string& id, const Message& request,
                   Message* reply);
  Status AskByGrpc(const std::string& path, const std::string& id, const Message& request,
                   Message* reply);
  bool are_several() const { return remote_ && remote_->addresses().are_several(); }
  bool waits() const { return when_killed_ == WhenKilled::kWait; }
  // ControllerChannel::Reach, for as long as it waits for a take-over.
  Status AwaitAny();

  const std::string socket_directory_;  // empty: the controller is on another machine
  std::unique_ptr<HttpLine> line_;      // nullptr: the controller is on another machine
  bool was_there_ = false;              // a controller has answered
  bool is_unknown_ = false;             // the last try may have been carried out, or not
  WhenKilled when_killed_ = WhenKilled::kWait;
  const std::string secret_;                   // empty: the kernel identifies the caller
  std::pair<std::string, std::string> proof_;  // the credential: metadata key and value
  std::optional<ControllerChannel> remote_;    // nullopt: the controller is on this machine
  std::shared_ptr<grpc::Channel> streams_;     // the channel of the stub
  std::unique_ptr<v1::Control::Stub> stub_;
};

}  // namespace gp
