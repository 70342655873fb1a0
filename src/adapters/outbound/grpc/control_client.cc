#include "adapters/outbound/grpc/control_client.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/error.h"
#include "adapters/wire/operation_options.h"
#include "base/assert.h"
#include "base/text.h"

namespace gp {
namespace {

Error NobodyAt(const std::string& socket) {
  return Unavailable("no controller answers on " + socket +
                     " (it runs on another machine: gpu-platform login HOST:PORT; as a "
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

constexpr auto kConnectTime = std::chrono::seconds(5);

// With a controller that restarts, or is overloaded: it answers again within this time.
class Patience {
 public:
  // False: it is over.
  bool Pause() {
    if (std::chrono::steady_clock::now() >= until_) return false;
    poll(nullptr, 0, pause_ms_);
    pause_ms_ = std::min(2 * pause_ms_, kLongestPauseMs);
    return true;
  }

 private:
  static constexpr int kLongestPauseMs = 1'000;
  const std::chrono::steady_clock::time_point until_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(5);
  int pause_ms_ = 50;
};

bool IsUnavailable(const Error& error) { return error.code == ErrorCode::kUnavailable; }

// A controller that stops in order removes its socket: where one is left, it was killed.
Result<std::unique_ptr<HttpLine>> OpenLine(const std::string& socket, bool waits_if_killed) {
  std::error_code ignored;
  const bool waits = waits_if_killed && std::filesystem::exists(socket, ignored);
  Patience patience;
  while (true) {
    auto line = HttpLine::Open(socket);
    if (line || !waits || !IsUnavailable(line.error()) || !patience.Pause()) return line;
  }
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
  const auto* found = MethodNamed(method);
  // A wrong type would be misread by the controller.
  GP_ASSERT(found != nullptr && found->input_type() == request.GetDescriptor() &&
                found->output_type() == reply->GetDescriptor(),
            "a method is called with its own messages");
  const std::string path = "/gpu_platform.v1.Control/" + std::string(method);
  // The id of a change: a repeat with the same id changes nothing
  const std::string id = IsRead(*found) || HasRequestId(request) ? "" : NewRequestId();
  const auto ask = [&] {
    return line_ != nullptr ? AskByHttp(path, id, request, reply)
                            : AskByGrpc(path, id, request, reply);
  };
  was_there_ = was_there_ || line_ != nullptr || IsConnected();
  const bool may_repeat = was_there_ && (IsRead(*found) || HasRequestId(request) || !id.empty());
  // A controller that was never there is not waited for.
  Patience patience;
  Status answered = ask();
  while (may_repeat && !answered && IsUnavailable(answered.error()) && patience.Pause())
    answered = ask();
  return answered;
}

Status ControlClient::AskByHttp(const std::string& path, const std::string& id,
                                const Message& request, Message* reply) {
  HttpHeaders headers{{"Content-Type", "application/proto"}};
  if (!secret_.empty()) headers.emplace_back("Authorization", AsBearer(secret_));
  if (!id.empty()) headers.emplace_back("Idempotency-Key", id);
  const auto answer = line_->Post(path, headers, request.SerializeAsString());
  if (!answer)
    return Fail(IsUnavailable(answer.error()) ? NobodyAt(socket_directory_ + "/http.sock")
                                              : answer.error());
  if (answer->status != 200) return Fail(ErrorOfAnswer(*answer));
  return reply->ParseFromString(answer->body)
             ? Ok()
             : Fail(Internal("the controller's answer cannot be read: is it of another version?"));
}

// False: no controller answers at the address.
bool ControlClient::IsConnected() {
  const auto until = std::chrono::system_clock::now() + kConnectTime;
  grpc_connectivity_state state = channel_->GetState(true);
  while (state != GRPC_CHANNEL_READY && state != GRPC_CHANNEL_TRANSIENT_FAILURE &&
         channel_->WaitForStateChange(state, until))
    state = channel_->GetState(true);
  return state == GRPC_CHANNEL_READY;
}

Status ControlClient::AskByGrpc(const std::string& path, const std::string& id,
                                const Message& request, Message* reply) {
  grpc::ClientContext context;
  context.AddMetadata(proof_.first, proof_.second);
  if (!id.empty()) context.AddMetadata("idempotency-key", id);
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
