#include "adapters/outbound/grpc/control_client.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "adapters/outbound/grpc/call_patience.h"
#include "adapters/outbound/grpc/channel.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/error.h"
#include "adapters/wire/operation_options.h"
#include "base/assert.h"
#include "base/text.h"

namespace gp {
namespace {

Error NobodyAt(const std::string& socket) {
  return Unavailable(
      "no controller answers on " + socket +
      " (it runs on another machine, or leads there: gpu-platform login HOST:PORT; as a "
      "service here: systemctl status gpu-platform; elsewhere here: --server "
      "DIRECTORY; none yet: gpu-platform serve)");
}

Result<std::string> FetchLocalCredential(const std::string& path) {
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
  if (local_credential.size() != 64) return Fail(NobodyAt(path));
  return local_credential;
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

const google::protobuf::MethodDescriptor* MethodNamed(std::string_view name) {
  const auto* service = v1::SubmitJobsRequest::descriptor()->file()->FindServiceByName("Control");
  return service->FindMethodByName(std::string(name));
}

// Whether the request has its id inside.
bool HasRequestId(const google::protobuf::Message& request) {
  const auto* field = request.GetDescriptor()->FindFieldByName("request_id");
  return field != nullptr && !request.GetReflection()->GetString(request, field).empty();
}

bool IsUnavailable(const Error& error) { return error.code == ErrorCode::kUnavailable; }

// A controller that stops in order removes its socket: where one is left, it was killed.
Result<std::unique_ptr<HttpLine>> OpenLine(const std::string& socket, bool waits_if_killed) {
  std::error_code ignored;
  const bool waits = waits_if_killed && std::filesystem::exists(socket, ignored);
  CallPatience patience = CallPatience::WithOne();
  while (true) {
    auto line = HttpLine::Open(socket);
    if (line || !waits || !IsUnavailable(line.error()) || !patience.Pause()) return line;
  }
}

// Whoever asked has to look, because a repeat might do it twice.
Error UnknownEnd(Error error) {
  error.message +=
      " (the request has no id, so it is not repeated: see whether it was carried out)";
  return error;
}

}  // namespace

std::string NewRequestId() {
  uint64_t words[2] = {};
  if (getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words)) return "";
  return ToBase32(words[0], 13) + ToBase32(words[1], 13);
}

Result<std::unique_ptr<ControlClient>> ControlClient::Open(const std::string& socket_directory,
                                                           const std::string& secret,
                                                           WhenKilled when_killed) {
  auto line = OpenLine(socket_directory + "/http.sock", when_killed == WhenKilled::kWait);
  if (!line)
    return Fail(IsUnavailable(line.error()) ? NobodyAt(socket_directory + "/http.sock")
                                            : line.error());
  return std::unique_ptr<ControlClient>(
      new ControlClient(socket_directory, *std::move(line), secret));
}

std::unique_ptr<ControlClient> ControlClient::OpenRemote(
    std::shared_ptr<ControllerAddresses> addresses, const std::string& secret,
    const std::string& authority, WhenKilled when_killed) {
  std::unique_ptr<ControlClient> client(new ControlClient("", nullptr, secret));
  client->proof_ = {"authorization", AsBearer(secret)};
  client->remote_.emplace(std::move(addresses), authority);
  client->when_killed_ = when_killed;
  return client;
}

Status ControlClient::AwaitAny() {
  CallPatience patience = CallPatience::WithSeveral();
  Status reached = remote_->Reach();
  while (!reached && are_several() && waits() && IsUnavailable(reached.error()) && patience.Pause())
    reached = remote_->Reach();
  return reached;
}

Result<v1::Control::Stub*> ControlClient::Streams(grpc::ClientContext& context) {
  if (remote_) GP_CHECK_OK(AwaitAny());
  std::shared_ptr<grpc::Channel> channel = remote_ ? remote_->channel() : streams_;
  if (channel == nullptr) {
    proof_ =
        secret_.empty()
            ? std::pair<std::string, std::string>(
                  "gp-ticket", GP_TRY(FetchLocalCredential(socket_directory_ + "/ticket.sock")))
            : std::pair<std::string, std::string>("authorization", AsBearer(secret_));
    channel = OpenChannel("unix:" + socket_directory_ + "/control.sock");
  }
  context.AddMetadata(proof_.first, proof_.second);
  if (stub_ == nullptr || streams_ != channel) stub_ = v1::Control::NewStub(channel);
  streams_ = std::move(channel);
  return stub_.get();
}

Status ControlClient::Ask(std::string_view method, const Message& request, Message* reply) {
  const auto* found = MethodNamed(method);
  // A wrong type would be misread by the controller.
  GP_ASSERT(found != nullptr && found->input_type() == request.GetDescriptor() &&
                found->output_type() == reply->GetDescriptor(),
            "a method is called with its own messages");
  const std::string path = "/gpu_platform.v1.Control/" + std::string(method);
  // The id of a change: a repeat with the same id changes nothing
  const std::string id = IsRead(*found) || HasRequestId(request) ? "" : NewRequestId();
  const bool is_safe = IsRead(*found) || HasRequestId(request) || !id.empty();
  // One controller that was never there is not waited for.
  if (!was_there_ && line_ == nullptr && !are_several()) GP_CHECK_OK(remote_->Reach());
  was_there_ = true;
  CallPatience patience = CallPatience::WithOne();
  Status answered = AskOnce(path, id, request, reply);
  if (are_several()) patience = CallPatience::WithSeveral();  // from now on: it may have taken long
  while (!answered && IsUnavailable(answered.error())) {
    if (remote_) remote_->Leave();
    if (is_unknown_ && !is_safe) return Fail(UnknownEnd(answered.error()));
    const bool may_repeat = waits() || !are_several();
    if (!may_repeat || !patience.Pause()) break;
    answered = AskOnce(path, id, request, reply);
  }
  return answered;
}

Status ControlClient::AskOnce(const std::string& path, const std::string& id,
                              const Message& request, Message* reply) {
  is_unknown_ = false;
  if (are_several()) GP_CHECK_OK(remote_->Reach());
  return line_ != nullptr ? AskByHttp(path, id, request, reply)
                          : AskByGrpc(path, id, request, reply);
}

Status ControlClient::AskByHttp(const std::string& path, const std::string& id,
                                const Message& request, Message* reply) {
  HttpHeaders headers{{"Content-Type", "application/proto"}};
  if (!secret_.empty()) headers.emplace_back("Authorization", AsBearer(secret_));
  if (!id.empty()) headers.emplace_back("Idempotency-Key", id);
  const auto answer = line_->Post(path, headers, request.SerializeAsString());
  is_unknown_ = !answer;
  if (!answer)
    return Fail(IsUnavailable(answer.error()) ? NobodyAt(socket_directory_ + "/http.sock")
                                              : answer.error());
  if (answer->status != 200) return Fail(ErrorOfAnswer(*answer));
  return reply->ParseFromString(answer->body)
             ? Ok()
             : Fail(Internal("the controller's answer cannot be read: is it of another version?"));
}

Status ControlClient::AskByGrpc(const std::string& path, const std::string& id,
                                const Message& request, Message* reply) {
  grpc::ClientContext context;
  context.AddMetadata(proof_.first, proof_.second);
  if (!id.empty()) context.AddMetadata("idempotency-key", id);
  const grpc::Slice bytes(request.SerializeAsString());
  grpc::CompletionQueue queue;
  const auto call = grpc::GenericStub(remote_->channel())
                        .PrepareUnaryCall(&context, path, grpc::ByteBuffer(&bytes, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  is_unknown_ = IsLost(status);
  if (!status.ok()) return Fail(ErrorOf(status));
  grpc::Slice whole;
  if (!answer.DumpToSingleSlice(&whole).ok() ||
      !reply->ParseFromArray(whole.begin(), static_cast<int>(whole.size()))) {
    return Fail(Internal("the controller's answer cannot be read: is it of another version?"));
  }
  return Ok();
}

Error ControlClient::ErrorOf(const grpc::Status& status) {
  if (IsLost(status)) return Unavailable(status.error_message());
  // The library's own: the message is larger than this client takes.
  if (status.error_code() == grpc::RESOURCE_EXHAUSTED && status.error_details().empty())
    return {ErrorCode::kResourceExhausted,
            status.error_message() + ": ask for less at once, such as with a smaller --limit"};
  return {ErrorCodeFromGrpc(status.error_code()), status.error_message()};
}

// A controller gives its errors details.  A server that stops ends its calls with one of these
// codes, and so does the library where the connection breaks.
bool ControlClient::IsLost(const grpc::Status& status) {
  const bool is_of_line = status.error_code() == grpc::UNAVAILABLE ||
                          status.error_code() == grpc::CANCELLED ||
                          status.error_code() == grpc::UNKNOWN;
  return is_of_line && status.error_details().empty();
}

bool ControlClient::MayGoOn(const grpc::Status& status) const {
  return are_several() && IsLost(status);
}

}  // namespace gp
