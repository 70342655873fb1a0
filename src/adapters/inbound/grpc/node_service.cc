#include "adapters/inbound/grpc/node_service.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "adapters/inbound/grpc/grpc_streams.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/node_link.h"
#include "base/text.h"

namespace gp {
namespace {

// Constant time: the duration does not reveal where the two differ.
bool SameSecret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

Result<std::vector<LeaseObservation>> LeasesFrom(
    const google::protobuf::RepeatedPtrField<v1::LeaseObservation>& messages) {
  std::vector<LeaseObservation> leases;
  for (const v1::LeaseObservation& message : messages) leases.push_back(GP_TRY(FromProto(message)));
  return leases;
}

Result<JoinNode> JoinFrom(const v1::Join& message) {
  JoinNode join;
  join.facts = std::make_shared<const NodeFacts>(GP_TRY(FromProto(message.facts())));
  join.lineage = message.lineage();
  join.incarnation = message.incarnation();
  join.fresh = message.fresh();
  join.leases = GP_TRY(LeasesFrom(message.leases()));
  return join;
}

grpc::Status RefuseForeign(uint64_t lineage, NodeService::ExchangeStream& stream) {
  v1::ControllerMessage message;
  message.set_foreign_to(lineage);
  stream.Write(message);
  return ToGrpc(Conflict("the node has attempts of another journal: it must end them first"));
}

Result<AgentReport> ReportFrom(const v1::Report& message) {
  AgentReport report;
  report.leases = GP_TRY(LeasesFrom(message.leases()));
  for (const v1::GpuObservation& gpu : message.gpus()) report.gpus.push_back(FromProto(gpu));
  return report;
}

Result<GpuNews> GpuNewsFrom(const v1::GpuNews& message) {
  constexpr int kSignalsMax = 65'536;
  if (message.signals_size() > kSignalsMax || message.results_size() > kGpusMax)
    return Fail(InvalidArgument("report: too many faults at once"));
  GpuNews news;
  for (const v1::FaultSignal& signal : message.signals())
    news.signals.push_back(GP_TRY(FromProto(signal)));
  for (const v1::GpuTaskResult& result : message.results())
    news.results.push_back(FromProto(result));
  return news;
}

}  // namespace

Status NodeService::CheckToken(const grpc::ServerContext& context) const {
  const auto found = context.client_metadata().find("gp-join-token");
  if (found == context.client_metadata().end() ||
      !SameSecret({found->second.data(), found->second.size()}, join_token_)) {
    return Fail(
        Unauthenticated("wrong or missing join token (the controller keeps it in its state "
                        "directory, file join-token)"));
  }
  return Ok();
}

// TLS has verified the signature; this checks that the certificate was not revoked.
Status NodeService::CheckPeer(const grpc::ServerContext& context, const std::string& node) {
  const NodePeer peer = NodePeerOf(context);
  if (!peer.is_encrypted) return CheckToken(context);
  if (!peer.certificate || peer.certificate->node.empty())
    return Fail(
        Unauthenticated("an agent must show a certificate of its node (gpu-platform agent gets "
                        "one by the join token)"));
  if (!node.empty() && peer.certificate->node != node) {
    return Fail(PermissionDenied("this is the certificate of node " + peer.certificate->node +
                                 ", not of " + Printable(node, 60)));
  }
  return api_.guard.CheckNode(peer.certificate->node, peer.certificate->fingerprint);
}

Status NodeService::Audited(const grpc::ServerContext& context, const std::string& operation,
                            const std::string& node, Status status) {
  // The claimed node is unverified, so it appears only in the message.
  const std::string as = node.empty() ? "" : " (as node " + Printable(node, 60) + ")";
  if (!status)
    api_.guard.NoteRefusal(Origin("unknown", context.peer()), operation,
                           status.error().message + as);
  return status;
}

Result<std::string> NodeService::CertificateFor(const grpc::ServerContext& context,
                                                const v1::CertifyRequest& request) {
  const NodePeer peer = NodePeerOf(context);
  if (!peer.is_encrypted || vouching_.authority == nullptr)
    return Fail(Conflict("certificates require an encrypted connection"));
  // A revoked certificate cannot be renewed.
  const bool is_own = peer.certificate && peer.certificate->node == request.node() &&
                      api_.guard.CheckNode(request.node(), peer.certificate->fingerprint);
  if (!is_own) GP_CHECK_OK(CheckToken(context));
  const std::string certificate = GP_TRY(vouching_.authority->ForNode(
      request.request(), request.node(), vouching_.life, gateway_.WallNow()));
  const CertificateFacts facts = GP_TRY(ReadCertificate(certificate));
  const Outcome outcome =
      gateway_.Execute(Origin("node:" + request.node(), context.peer()), "",
                       CertifyNode{request.node(),
                                   {facts.fingerprint, facts.expires_at},
                                   is_own ? peer.certificate->fingerprint : ""});
  if (!outcome.status) return Fail(outcome.status.error());
  GP_CHECK_OK(gateway_.AwaitObservers());  // one of them is the access guard
  return certificate;
}

grpc::Status NodeService::Certify(grpc::ServerContext* context, const v1::CertifyRequest* request,
                                  v1::CertifyReply* reply) {
  const Result<std::string> certificate = CertificateFor(*context, *request);
  if (!certificate)
    return ToGrpc(Audited(*context, "CertifyNode", request->node(), Fail(certificate.error())));
  reply->set_certificate(*certificate);
  return grpc::Status::OK;
}

Status NodeService::Hear(NodeExchange& exchange, const v1::AgentMessage& message) {
  if (message.has_gpu_news())
    return exchange.Hear(message.number(), GP_TRY(GpuNewsFrom(message.gpu_news())));
  if (!message.has_report()) return Ok();
  AgentReport report = GP_TRY(ReportFrom(message.report()));
  const auto& readings = message.report().readings();
  if (!readings.empty())
    api_.readings.Set(exchange.node(), {readings.begin(), readings.end()}, gateway_.Now());
  const auto& progress = message.report().progress();
  api_.progress.Set(exchange.node(), {progress.begin(), progress.end()});
  return exchange.Hear(message.number(), std::move(report));
}

void NodeService::AddSecrets(NodeDesiredState& desired) const {
  constexpr size_t kOfMessageMax = 32 << 20;  // half of the largest message that an agent accepts
  size_t all = 0;
  for (DesiredLease& desired_lease : desired.leases) {
    const bool is_to_start = desired_lease.lease.phase == LeasePhase::kGranted &&
                             desired_lease.lease.stop == StopOrder::kNone;
    if (secrets_ == nullptr || !is_to_start) continue;
    size_t of_job = 0;
    for (const std::string& name : desired_lease.spec->program.secrets) {
      auto value = secrets_->Find(
          name, desired_lease.spec->program.shared_secrets_only ? "" : desired_lease.user.name,
          desired_lease.queue);
      if (!value) continue;
      of_job += value->size();
      desired_lease.secrets[name] = *std::move(value);
    }
    // Secrets may have grown since the submit: only this job goes without them.
    if (of_job > kSecretBytesOfJobMax || all + of_job > kOfMessageMax)
      desired_lease.secrets.clear();
    all += desired_lease.secrets.empty() ? 0 : of_job;
  }
}

v1::ControllerMessage NodeService::ToMessage(const ControllerNews& news) const {
  v1::ControllerMessage message;
  message.set_answers(news.acknowledged);
  if (news.acknowledged != 0) message.set_lease_time_ms(news.lease_time.ToMilliseconds());
  if (news.desired) {
    const bool have_secrets =
        std::ranges::any_of(news.desired->leases, [](const DesiredLease& desired_lease) {
          return !desired_lease.spec->program.secrets.empty();
        });
    if (have_secrets) {
      NodeDesiredState desired = *news.desired;
      AddSecrets(desired);
      gp::ToProto(desired, message.mutable_orders());
    } else {
      gp::ToProto(*news.desired, message.mutable_orders());
    }
  }
  for (const uint64_t channel : news.channels) {
    if (auto channel_order = api_.channels.OrderOf(channel))
      *message.add_channels() = *std::move(channel_order);
  }
  return message;
}

grpc::Status NodeService::Exchange(grpc::ServerContext* context, ExchangeStream* stream) {
  // Reads nothing from unauthenticated peers.
  if (const Status known = Audited(*context, "JoinNode", "", CheckPeer(*context, "")); !known)
    return ToGrpc(known);
  v1::AgentMessage message;
  if (!stream->Read(&message) || !message.has_join()) {
    return ToGrpc(InvalidArgument("the first message of an exchange is a join"));
  }
  const std::string& name = message.join().facts().name();
  if (const Status known = Audited(*context, "JoinNode", name, CheckPeer(*context, name)); !known)
    return ToGrpc(known);
  Result<JoinNode> join = JoinFrom(message.join());
  if (!join) return ToGrpc(join.error());
  const Result<Joined> joined = nodes_.Join(message.number(), *std::move(join));
  if (!joined) return ToGrpc(joined.error());
  if (joined->foreign_to != 0) return RefuseForeign(joined->foreign_to, *stream);
  NodeExchange& exchange = *joined->exchange;
  std::thread writer([&] {
    while (const auto news = exchange.AwaitNews()) {
      if (!stream->Write(ToMessage(*news))) break;
    }
    context->TryCancel();  // ends the read of a replaced connection or a dead peer
  });
  Status heard = Ok();
  while (heard && stream->Read(&message)) heard = Hear(exchange, message);
  exchange.End();
  writer.join();
  return heard ? grpc::Status::OK : ToGrpc(heard);
}

grpc::Status NodeService::Tunnel(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>* stream) {
  if (const Status known = Audited(*context, "Tunnel", "", CheckPeer(*context, "")); !known)
    return ToGrpc(known);
  v1::TunnelFrame first;
  if (!stream->Read(&first)) return ToGrpc(InvalidArgument("a tunnel begins with its channel"));
  const std::shared_ptr<Channel> channel = api_.channels.Claim(first.channel());
  if (channel == nullptr) return ToGrpc(NotFound("nobody waits for this channel"));
  Admission admission([] { return Ok(); });  // the channel ends with its caller's stream
  GrpcConversation<v1::TunnelFrame, v1::TunnelFrame> tunnel(*context, admission, *stream);
  channel->Attach(tunnel);
  return grpc::Status::OK;
}

}  // namespace gp
