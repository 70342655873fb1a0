#include "adapters/outbound/grpc/control_client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/error.h"
#include "base/assert.h"

namespace gp {
namespace {

Result<std::string> FetchLocalCredential(const std::string& path) {
  const Error nobody =
      Unavailable("no controller answers on " + path +
                  " (start one: gpu-platform serve; or name another: --server DIRECTORY)");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Fail(InvalidArgument(path + ": too long for a socket"));
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Fail(Internal(std::strerror(errno)));
  std::string local_credential;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    char buffer[128];
    for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;)
      local_credential.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  if (local_credential.size() != 64) return Fail(nobody);
  return local_credential;
}

Error NobodyAt(const std::string& socket_directory) {
  return Unavailable(
      "no controller answers on " + socket_directory +
      "/http.sock (start one: gpu-platform serve; or name another: --server DIRECTORY)");
}

// Parses an error in the format of the Connect protocol.
Error ErrorOfAnswer(const HttpAnswer& answer) {
  const auto fields = nlohmann::json::parse(answer.body, nullptr, false);
  const auto text = [&](const char* name) {
    return fields.is_object() && fields.contains(name) && fields[name].is_string()
               ? fields[name].get<std::string>()
               : std::string();
  };
  if (text("message").empty())
    return Internal("the controller answered with HTTP status " + std::to_string(answer.status));
  return {ErrorCodeFromConnect(text("code")), text("message")};
}

// Whether these are the method's message types: a wrong type would be misread by the controller.
bool Fits(std::string_view method, const google::protobuf::Message& request,
          const google::protobuf::Message& reply) {
  const auto* service = v1::SubmitJobsRequest::descriptor()->file()->FindServiceByName("Control");
  const auto* found = service->FindMethodByName(std::string(method));
  return found != nullptr && found->input_type() == request.GetDescriptor() &&
         found->output_type() == reply.GetDescriptor();
}

}  // namespace

Result<std::unique_ptr<ControlClient>> ControlClient::Open(const std::string& socket_directory) {
  return OpenByToken(socket_directory, "");
}

Result<std::unique_ptr<ControlClient>> ControlClient::OpenByToken(
    const std::string& socket_directory, const std::string& secret) {
  auto line = HttpLine::Open(socket_directory + "/http.sock");
  if (!line)
    return Fail(line.error().code == ErrorCode::kUnavailable ? NobodyAt(socket_directory)
                                                             : line.error());
  return std::unique_ptr<ControlClient>(
      new ControlClient(socket_directory, *std::move(line), secret));
}

std::unique_ptr<ControlClient> ControlClient::OpenRemote(const std::string& address,
                                                         const std::string& secret,
                                                         const std::string& authority) {
  std::unique_ptr<ControlClient> client(new ControlClient("", nullptr, secret));
  client->proof_ = {"authorization", AsBearer(secret)};
  client->channel_ = OpenChannel(address, {authority, {}});
  return client;
}

Result<v1::Control::Stub*> ControlClient::Streams(grpc::ClientContext& context) {
  if (channel_ == nullptr) {
    proof_ =
        secret_.empty()
            ? std::pair<std::string, std::string>(
                  "gp-ticket", GP_TRY(FetchLocalCredential(socket_directory_ + "/ticket.sock")))
            : std::pair<std::string, std::string>("authorization", AsBearer(secret_));
    channel_ = OpenChannel("unix:" + socket_directory_ + "/control.sock");
  }
  context.AddMetadata(proof_.first, proof_.second);
  if (stub_ == nullptr) stub_ = v1::Control::NewStub(channel_);
  return stub_.get();
}

Status ControlClient::Ask(std::string_view method, const Message& request, Message* reply) {
  GP_ASSERT(Fits(method, request, *reply), "a method is called with its own messages");
  const std::string path = "/gpu_platform.v1.Control/" + std::string(method);
  return line_ != nullptr ? AskByHttp(path, request, reply) : AskByGrpc(path, request, reply);
}

Status ControlClient::AskByHttp(const std::string& path, const Message& request, Message* reply) {
  const HttpAnswer answer =
      GP_TRY(line_->Post(path, "application/proto", secret_.empty() ? "" : AsBearer(secret_),
                         request.SerializeAsString()));
  if (answer.status != 200) return Fail(ErrorOfAnswer(answer));
  return reply->ParseFromString(answer.body)
             ? Ok()
             : Fail(Internal("the controller's answer cannot be read: is it of another version?"));
}

Status ControlClient::AskByGrpc(const std::string& path, const Message& request, Message* reply) {
  grpc::ClientContext context;
  context.AddMetadata(proof_.first, proof_.second);
  const grpc::Slice bytes(request.SerializeAsString());
  grpc::CompletionQueue queue;
  const auto call = grpc::GenericStub(channel_).PrepareUnaryCall(
      &context, path, grpc::ByteBuffer(&bytes, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return Fail(ErrorOf(status));
  grpc::Slice whole;
  if (!answer.DumpToSingleSlice(&whole).ok() ||
      !reply->ParseFromArray(whole.begin(), static_cast<int>(whole.size()))) {
    return Fail(Internal("the controller's answer cannot be read: is it of another version?"));
  }
  return Ok();
}

Error ControlClient::ErrorOf(const grpc::Status& status) {
  return {ErrorCodeFromGrpc(status.error_code()), status.error_message()};
}

}  // namespace gp
