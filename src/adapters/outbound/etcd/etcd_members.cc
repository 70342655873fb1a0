#include "adapters/outbound/etcd/etcd_members.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/outbound/etcd/etcd_errors.h"

namespace gp {
namespace {

constexpr Duration kAskingMax = Duration::Seconds(1);
constexpr std::chrono::seconds kStuckAfter{10};
constexpr std::chrono::milliseconds kConnectingMax{100};

// Within etcd's own limit of a request, 1.5 MiB, and what surrounds it.
constexpr int kSentMax = 17 << 20;
constexpr int kReceivedMax = 64 << 20;  // of many keys, each within that limit

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& endpoint, const EtcdOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxSendMessageSize(kSentMax);
  arguments.SetMaxReceiveMessageSize(kReceivedMax);
  // Members do not share connections: the next one must not inherit the last one's back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Ignores a web proxy that is set in the environment.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Whether a transaction may be repeated is the caller's knowledge.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);  // the time to connect
  // Ends a connection over a broken network, which TCP would keep for minutes.  etcd cuts off who
  // pings more often than each 5 s.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 2'000);
  const auto credentials = options.authority.empty()
                               ? grpc::InsecureChannelCredentials()
                               : grpc::SslCredentials({options.authority, options.identity.key,
                                                       options.identity.certificate});
  const std::string address = endpoint.substr(endpoint.find("//") + 2);
  return grpc::CreateCustomChannel("dns:///" + address, credentials, arguments);
}

void Limit(grpc::ClientContext& context, Duration time_max) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::nanoseconds(time_max.ns));
}

Duration Since(std::chrono::steady_clock::time_point begin) {
  return {std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count()};
}

}  // namespace

EtcdMember::EtcdMember(size_t the_index, std::string the_endpoint,
                       std::shared_ptr<grpc::Channel> the_channel)
    : index(the_index),
      endpoint(std::move(the_endpoint)),
      channel(std::move(the_channel)),
      kv(channel),
      lease(channel),
      watch(channel),
      auth(channel),
      maintenance(channel) {}

void EtcdMember::AwaitConnection() {
  if (channel->GetState(true) == GRPC_CHANNEL_TRANSIENT_FAILURE)
    channel->WaitForStateChange(GRPC_CHANNEL_TRANSIENT_FAILURE,
                                std::chrono::system_clock::now() + kConnectingMax);
}

EtcdMembers::EtcdMembers(const EtcdOptions& options)
    : user_(options.user), password_(options.password), watch_(kStuckAfter, options.stuck) {
  for (const std::string& endpoint : options.endpoints)
    members_.push_back(
        std::make_unique<EtcdMember>(members_.size(), endpoint, ChannelTo(endpoint, options)));
}

EtcdMember& EtcdMembers::After(const EtcdMember& member) {
  return *members_[(member.index + 1) % members_.size()];
}

// Another thread may have left it before.
void EtcdMembers::Leave(const EtcdMember& member) {
  size_t left = member.index;
  present_.compare_exchange_strong(left, After(member).index);
}

Status EtcdMembers::Ask(Duration time_max, const Call& call) {
  EtcdMember& member = Present();
  const grpc::Status end = CallOne(member, time_max, call);
  if (end.ok()) return Ok();
  if (!IsAnswer(end)) Leave(member);
  return Fail(Unavailable(EtcdFailure(member.endpoint, end)));
}

Status EtcdMembers::AskEach(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  std::string why;
  EtcdMember* member = &Present();
  for (size_t left = members_.size(); left > 0; --left) {
    const Duration rest = std::max(kAskingMax - Since(begin), Duration::Milliseconds(1));
    const grpc::Status end = CallOne(*member, {rest.ns / static_cast<int64_t>(left)}, call);
    if (end.ok()) return Ok();
    why += (why.empty() ? "" : "; ") + EtcdFailure(member->endpoint, end);
    if (IsAnswer(end)) break;
    Leave(*member);
    member = &After(*member);
  }
  return Fail(Unavailable(std::move(why)));
}

void EtcdMembers::AskAll(const Call& call,
                         const std::function<void(const EtcdMember&, const grpc::Status&)>& take) {
  const Duration each{kAskingMax.ns / static_cast<int64_t>(members_.size())};
  for (const auto& member : members_) take(*member, CallOne(*member, each, call));
}

grpc::Status EtcdMembers::CallOne(EtcdMember& member, Duration time_max, const Call& call) {
  const CallWatch::Call watched(watch_);
  member.AwaitConnection();
  for (bool is_second = false;; is_second = true) {
    const auto token = Token(member, time_max);
    if (!token) return token.error();
    grpc::ClientContext context;
    Limit(context, time_max);
    if (!token->empty()) context.AddMetadata("token", *token);
    grpc::Status end = call(member, context);
    if (token->empty() || is_second || !IsTokenRefused(end)) return end;
    Forget(*token);
  }
}

std::expected<std::string, grpc::Status> EtcdMembers::Token(EtcdMember& member, Duration time_max) {
  if (user_.empty()) return std::string();
  {
    const std::lock_guard lock(mutex_);
    if (!token_.empty()) return token_;
  }
  etcdserverpb::AuthenticateRequest request;
  request.set_name(user_);
  request.set_password(password_);
  etcdserverpb::AuthenticateResponse response;
  grpc::ClientContext context;
  Limit(context, time_max);
  grpc::Status end = member.auth.Authenticate(&context, request, &response);
  if (!end.ok()) return std::unexpected(std::move(end));
  const std::lock_guard lock(mutex_);
  token_ = response.token();
  return token_;
}

void EtcdMembers::Forget(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (token_ == token) token_.clear();
}

}  // namespace gp
