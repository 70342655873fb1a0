#include "adapters/outbound/grpc/node_credentials.h"

#include <grpcpp/client_context.h>

#include <chrono>
#include <cstdio>

#include "adapters/wire/call_deadline.h"
#include "adapters/wire/error.h"
#include "gpu_platform/v1/node.grpc.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::minutes kTryAgain{10};

// Renewal is due when a third of the validity is left.
Instant RenewalOf(const CertificateFacts& certificate) {
  return certificate.expires_at - Duration{(certificate.expires_at - certificate.begins_at).ns / 3};
}

}  // namespace

NodeCredentials::~NodeCredentials() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  if (renewer_.joinable()) renewer_.join();
}

Status NodeCredentials::Open() {
  if (options_.authority.empty()) return Ok();
  const Result<Identity> kept = storage_.read();
  if (!kept && kept.error().code != ErrorCode::kNotFound) return Fail(kept.error());
  const Result<CertificateFacts> facts =
      kept ? ReadCertificate(kept->certificate) : Fail(kept.error());
  const bool counts = facts && facts->node == options_.node && facts->expires_at > clock_.Now();
  if (counts) {
    const std::lock_guard lock(mutex_);
    identity_ = *kept;
  } else {
    GP_CHECK_OK(Renew({}));
  }
  renewer_ = std::thread([this] { KeepRenewing(); });
  return Ok();
}

ChannelSecurity NodeCredentials::Security() const {
  const std::lock_guard lock(mutex_);
  return {options_.authority, identity_};
}

// A controller that does not answer is no refusal: the next one is asked.
Result<Identity> NodeCredentials::Ask(const Identity& shown) const {
  Result<Identity> given = AskAt(options_.addresses.front(), shown);
  for (size_t i = 1; i < options_.addresses.size(); ++i) {
    const bool is_silent = !given && (given.error().code == ErrorCode::kUnavailable ||
                                      given.error().code == ErrorCode::kDeadlineExceeded);
    if (!is_silent) break;
    given = AskAt(options_.addresses[i], shown);
  }
  return given;
}

Result<Identity> NodeCredentials::AskAt(const std::string& address, const Identity& shown) const {
  const CertificateRequest mine = GP_TRY(NewCertificateRequest());
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(kPatience));
  // With another address left, one that refuses is not waited for.
  context.set_wait_for_ready(address == options_.addresses.back());
  // A revoked node must not rejoin automatically.
  if (shown.certificate.empty()) context.AddMetadata("gp-join-token", options_.join_token);
  v1::CertifyRequest request;
  request.set_node(options_.node);
  request.set_request(mine.request);
  v1::CertifyReply reply;
  const grpc::Status status =
      v1::NodeLink::NewStub(OpenChannel(address, {options_.authority, shown}))
          ->Certify(&context, request, &reply);
  if (!status.ok())
    return Fail(Error{ErrorCodeFromGrpc(status.error_code()),
                      "no certificate for node " + options_.node + " from " + address + ": " +
                          status.error_message()});
  return Identity{mine.key, reply.certificate()};
}

Status NodeCredentials::Renew(const Identity& shown) {
  const Identity identity = GP_TRY(Ask(shown));
  GP_TRY(ReadCertificate(identity.certificate));
  GP_CHECK_OK(storage_.write(identity));
  const std::lock_guard lock(mutex_);
  identity_ = identity;
  return Ok();
}

bool NodeCredentials::Rest(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  return !ended_.wait_for(lock, time, [this] { return ends_; });
}

void NodeCredentials::KeepRenewing() {
  bool has_failed = false;
  std::chrono::nanoseconds pause{0};
  while (Rest(pause)) {
    const Identity identity = Security().identity;
    const auto facts = ReadCertificate(identity.certificate);
    const int64_t left_ns = facts ? (RenewalOf(*facts) - clock_.Now()).ns : 0;
    // The wall clock may be stepped meanwhile, so the thread checks at intervals.  A clock that is
    // far ahead must not cause constant renewal.
    const int64_t least_ns = facts ? (facts->expires_at - facts->begins_at).ns / 100 : 0;
    pause = std::min<std::chrono::nanoseconds>(
        std::chrono::nanoseconds(std::max(left_ns, least_ns)), kTryAgain);
    if (left_ns > 0) continue;
    // An expired certificate authenticates nothing; the join token does.
    const Status renewed = Renew(facts && facts->expires_at > clock_.Now() ? identity : Identity{});
    if (!renewed && !has_failed)
      std::fprintf(stderr, "gpu-platform: %s (it is retried)\n", renewed.error().message.c_str());
    has_failed = !renewed;
    // Often enough that a short-lived certificate does not expire meanwhile.
    const int64_t over_ns = facts ? (facts->expires_at - clock_.Now()).ns : 0;
    if (has_failed)
      pause = std::clamp<std::chrono::nanoseconds>(std::chrono::nanoseconds(over_ns / 4),
                                                   std::chrono::seconds(1), kTryAgain);
  }
}

}  // namespace gp
