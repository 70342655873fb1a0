#pragma once

#include <grpcpp/support/server_callback.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/node_admission.h"
#include "adapters/inbound/grpc/node_messages.h"
#include "adapters/inbound/grpc/work_queue.h"
#include "gpu_platform/v1/node.pb.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// What the exchanges of all agents share; outlives them.
struct ExchangeParts {
  NodeGateway& nodes;
  ControlGateway& gateway;
  Api& api;
  const NodeAdmission& admission;
  const ControllerMessages& messages;
  WorkQueue& senders;
};

// Serves one agent's connection: reads its messages one after another, and writes the news of its
// exchange.  No thread waits for the agent.  gRPC's threads call the reactions; the writer's thread
// only queues what the senders do.
//
// Several threads learn what has happened, but one at a time starts operations on the stream: a
// read must not begin while another thread finishes the stream, and a lock must not be held
// meanwhile, because gRPC may call a reaction within.
class ExchangeReactor : public grpc::ServerBidiReactor<v1::AgentMessage, v1::ControllerMessage>,
                        public std::enable_shared_from_this<ExchangeReactor> {
 public:
  // The peer of `context` has been admitted.  The exchange lives until gRPC is done with it.
  static ExchangeReactor* Begin(const ExchangeParts& parts, grpc::CallbackServerContext& context);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { Abort(); }
  void OnDone() override;

 private:
  enum class Step { kRead, kWrite, kAnswerProbe, kRefuse, kCancel, kFinish };

  ExchangeReactor(const ExchangeParts& parts, grpc::CallbackServerContext& context)
      : parts_(parts), context_(context) {}

  // Before the exchange has joined.
  Status Begin(const v1::AgentMessage& message);
  Status Join(const v1::AgentMessage& message);
  Status Hear(const v1::AgentMessage& message);
  void HearHeartbeat(uint64_t number, const v1::Heartbeat& heartbeat);
  void KeepReadings(const google::protobuf::RepeatedPtrField<v1::GpuReadings>& readings);
  void KeepProgress(const google::protobuf::RepeatedPtrField<v1::LeaseProgress>& progress);
  void TakeJoined(Result<Joined> joined);
  // Lets a sender go on; any thread.
  void Wake(bool is_over);
  void End(grpc::Status status);
  void Abort();
  void WriteNews();
  void AnswerProbe();

  template <typename Change>
  void Note(Change change);
  std::optional<Step> NextStep();
  void Take(Step step);

  const ExchangeParts& parts_;
  grpc::CallbackServerContext& context_;
  std::shared_ptr<ExchangeReactor> self_;  // until gRPC is done
  v1::AgentMessage in_;
  v1::ControllerMessage out_;

  std::mutex mutex_;
  std::shared_ptr<NodeExchange> exchange_;  // nullptr: it has not joined
  bool takes_steps_ = false;                // a thread does
  bool may_read_ = false;
  bool has_news_ = false;
  bool has_probe_ = false;
  bool writes_ = false;
  uint64_t foreign_to_ = 0;  // not 0: the agent gets it, then the exchange ends
  bool refuses_ = false;     // it is being written
  bool must_cancel_ = false;
  std::optional<grpc::Status> end_;  // the exchange ends with it
  bool is_finished_ = false;
};

}  // namespace gp
