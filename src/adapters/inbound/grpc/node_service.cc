#include "adapters/inbound/grpc/node_service.h"

#include <atomic>
#include <thread>

#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/node_link.h"
#include "domain/cluster/decide.h"

namespace gp {
namespace {

// Its time tells nothing of where the two differ.
bool SameSecret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
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

// Our lineage, where the node keeps attempts of another one; else 0.
uint64_t ForeignTo(ControlGateway& gateway, const JoinNode& join) {
  uint64_t lineage = 0;
  (void)gateway.Read([&](const State& state) {
    if (!IsOfLineage(state, join)) lineage = state.lineage;
  });
  return lineage;
}

grpc::Status SendAway(uint64_t lineage, NodeService::ExchangeStream& stream) {
  v1::ControllerMessage message;
  message.set_foreign_to(lineage);
  stream.Write(message);
  return ToGrpc(Conflict("the node keeps attempts of another journal: it is to end them first"));
}

int64_t LeaseTimeMs(ControlGateway& gateway) {
  int64_t ms = 0;
  (void)gateway.Read([&ms](const State& state) { ms = state.policy.lease_time.ToMilliseconds(); });
  return ms;
}

}  // namespace

Status NodeService::CheckToken(const grpc::ServerContext& context) const {
  const auto found = context.client_metadata().find("gp-join-token");
  if (found == context.client_metadata().end() ||
      !SameSecret({found->second.data(), found->second.size()}, join_token_)) {
    return Fail(Unauthenticated("wrong or missing join token (the controller keeps it in its state "
                                "directory, file join-token)"));
  }
  return Ok();
}

Result<NodeId> NodeService::Join(JoinNode join) {
  const std::string name = join.facts->name;
  const Outcome outcome = gateway_.Execute("node:" + name, "", std::move(join));
  if (!outcome.status) return Fail(outcome.status.error());
  NodeId node;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { node = state.nodes_by_name.at(name); }));
  gateway_.HeardFrom(node);
  return node;
}

Status NodeService::HandleReport(NodeId node, uint64_t incarnation, const v1::Report& message, Done done) {
  ReportNode report{node, incarnation, GP_TRY(LeasesFrom(message.leases())), {}};
  for (const v1::GpuObservation& gpu : message.gpus()) report.gpus.push_back(FromProto(gpu));
  if (message.readings_size() > 0) {
    sessions_.SetReadings(node, {message.readings().begin(), message.readings().end()}, gateway_.Now());
  }
  sessions_.SetProgress(node, {message.progress().begin(), message.progress().end()});
  gateway_.HeardFrom(node);
  return gateway_.Post("node:" + std::to_string(node.value), std::move(report), std::move(done));
}

Status NodeService::HandleGpuNews(NodeId node, uint64_t incarnation, const v1::GpuNews& message, Done done) {
  constexpr int kSignalsMax = 65'536;
  if (message.signals_size() > kSignalsMax || message.results_size() > kGpusMax) return Fail(InvalidArgument("report: too many faults at once"));
  ReportGpus report{node, incarnation, {}, {}};
  for (const v1::FaultSignal& signal : message.signals()) report.signals.push_back(GP_TRY(FromProto(signal)));
  for (const v1::GpuTaskResult& result : message.results()) report.results.push_back(FromProto(result));
  gateway_.HeardFrom(node);
  return gateway_.Post("node:" + std::to_string(node.value), std::move(report), std::move(done));
}

void NodeService::SendFirstOrders(NodeId node, NodeSession& session, uint64_t number) {
  // On the writer's thread, so that no commit comes between reading the orders and sending them.
  (void)gateway_.Read([&](const State& state) {
    session.SetOrders(OrdersFor(state, node));
    session.Answer(number, state.policy.lease_time.ToMilliseconds());
  });
}

grpc::Status NodeService::Exchange(grpc::ServerContext* context, ExchangeStream* stream) {
  if (const Status token = CheckToken(*context); !token) return ToGrpc(token);
  v1::AgentMessage message;
  if (!stream->Read(&message) || !message.has_join()) {
    return ToGrpc(InvalidArgument("the first message of an exchange is a join"));
  }
  Result<JoinNode> join = JoinFrom(message.join());
  if (!join) return ToGrpc(join.error());
  if (const uint64_t lineage = ForeignTo(gateway_, *join)) return SendAway(lineage, *stream);
  const uint64_t incarnation = join->incarnation;
  const Result<NodeId> node = Join(*std::move(join));
  if (!node) return ToGrpc(node.error());
  const int64_t lease_time_ms = LeaseTimeMs(gateway_);
  const std::shared_ptr<NodeSession> session = sessions_.Begin(*node);
  SendFirstOrders(*node, *session, message.number());
  std::thread writer([&] {
    while (const auto next = session->NextMessage()) {
      if (!stream->Write(*next)) break;
    }
    context->TryCancel();  // a session that was replaced, or a dead peer, ends the reading too
  });
  grpc::Status result = grpc::Status::OK;
  while (stream->Read(&message)) {
    // When it is durable: the agent forgets what was answered.
    Done done = [session, number = message.number(), lease_time_ms](const Outcome& outcome) {
      // Stale: a newer agent has joined.  This one is to join again, or stop.
      if (!outcome.status) return session->Close();
      session->Answer(number, lease_time_ms);
    };
    Status handled = Ok();
    if (message.has_report()) handled = HandleReport(*node, incarnation, message.report(), std::move(done));
    if (message.has_gpu_news()) handled = HandleGpuNews(*node, incarnation, message.gpu_news(), std::move(done));
    if (!handled) {
      result = ToGrpc(handled);
      break;
    }
  }
  sessions_.End(*node, session);
  writer.join();
  return result;
}

grpc::Status NodeService::Tunnel(grpc::ServerContext* context, Channel::Stream* stream) {
  if (const Status token = CheckToken(*context); !token) return ToGrpc(token);
  v1::TunnelFrame first;
  if (!stream->Read(&first)) return ToGrpc(InvalidArgument("a tunnel begins with its channel"));
  const std::shared_ptr<Channel> channel = sessions_.Claim(first.channel());
  if (channel == nullptr) return ToGrpc(NotFound("nobody waits for this channel"));
  channel->Attach(stream, context);
  return grpc::Status::OK;
}

}  // namespace gp
