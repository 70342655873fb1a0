#pragma once

// The command line's line to a controller.  On the controller's machine single calls go over HTTP
// on its socket, which is quicker after a pause and needs no ticket; streams, and all calls from
// elsewhere, go over gRPC.

#include <google/protobuf/message.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/outbound/http/http_line.h"
#include "base/result.h"
#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

class ControlClient {
 public:
  // `socket_directory` holds the controller's sockets; the kernel vouches for the caller.
  // kUnavailable: no controller answers there.
  static Result<std::unique_ptr<ControlClient>> Open(const std::string& socket_directory);
  // The same, as whom the secret of a token stands for.
  static Result<std::unique_ptr<ControlClient>> OpenByToken(const std::string& socket_directory,
                                                            const std::string& secret);
  // `address`: "127.0.0.1:7070".  `authority`: as ChannelSecurity has it.  Whether anybody answers
  // there, the first call tells.
  static std::unique_ptr<ControlClient> OpenRemote(const std::string& address,
                                                   const std::string& secret,
                                                   const std::string& authority);

  // For streams, and calls with a deadline; puts the proof of who calls into the fresh context.
  // kUnavailable: no controller answers.
  Result<v1::Control::Stub*> Streams(grpc::ClientContext& context);

  // One call with its answer: Call<v1::Job>("GetJob", request).  REQUIRES: the method takes and
  // gives these messages.
  template <typename Reply>
  Result<Reply> Call(std::string_view method, const google::protobuf::Message& request) {
    Reply reply;
    GP_CHECK_OK(Ask(method, request, &reply));
    return reply;
  }
  static Error ErrorOf(const grpc::Status& status);

 private:
  using Message = google::protobuf::Message;

  ControlClient(std::string socket_directory, std::unique_ptr<HttpLine> line, std::string secret)
      : socket_directory_(std::move(socket_directory)),
        line_(std::move(line)),
        secret_(std::move(secret)) {}
  Status Ask(std::string_view method, const Message& request, Message* reply);
  Status AskByHttp(const std::string& path, const Message& request, Message* reply);
  Status AskByGrpc(const std::string& path, const Message& request, Message* reply);

  const std::string socket_directory_;         // empty: elsewhere
  std::unique_ptr<HttpLine> line_;             // nullptr: elsewhere
  const std::string secret_;                   // empty: the kernel vouches
  std::pair<std::string, std::string> proof_;  // name and value of the metadata
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Control::Stub> stub_;
};

}  // namespace gp
