#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/api/node_admission.h"
#include "adapters/inbound/link/node_messages.h"
#include "gpu_platform/v1/node.pb.h"
#include "lib/sockets/event_loop.h"
#include "lib/sockets/frame_socket.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/metric_store.h"

namespace gp {

// Memory that the loop's thread uses for one message after another.
struct LinkScratch {
  v1::AgentMessage message;
  std::string bytes;
};

// What the connections of all agents share; outlives them.
struct LinkParts {
  NodeGateway& nodes;
  ControlGateway& gateway;
  Api& api;
  const NodeAdmission& admission;
  const ControllerMessages& messages;
  MetricStore* metrics;  // nullptr: metrics are not taken
  EventLoop& loop;
  LinkScratch& scratch;
  std::chrono::milliseconds hello_within;  // an agent says who it is
};

// Serves one agent's connection: reads its messages, and writes the news of its exchange.  It lives
// on the loop's thread; the writer's thread only posts to it.  It holds at most one message that
// the agent has not read: later news is joined with what comes after.
class AgentConnection : public Watched, public std::enable_shared_from_this<AgentConnection> {
 public:
  // Takes a socket whose greeting has been read.
  static Status Begin(const LinkParts& parts, Descriptor socket, const TlsSide* tls);
  // Tells an agent why it is not served, and closes the socket.
  static void Refuse(Descriptor socket, const std::string& why);

  void OnReady(uint32_t events) override;
  void OnSecond() override;
  void OnEnd() override;

 private:
  enum class Phase {
    kGreeted,  // the TLS handshake, then the Hello
    kProbed,   // admitted; it may probe, and join
    kJoining,  // nothing is read until the join is answered
    kJoined,
    kEnding,  // the reason is being sent
    kClosed,
  };

  AgentConnection(const LinkParts& parts, Descriptor socket, const TlsSide* tls);

  bool reads() const { return phase_ < Phase::kEnding && phase_ != Phase::kJoining; }
  void GoOn();
  void Read();
  Status HearFrame(std::string_view frame);
  Status HearHello(std::string_view frame);
  Status HearBeforeJoin(const v1::AgentMessage& message);
  Status Join(const v1::AgentMessage& message);
  void TakeJoined(Result<Joined> joined);
  Status Hear(const v1::AgentMessage& message);
  void HearHeartbeat(uint64_t number, const v1::Heartbeat& heartbeat);
  void KeepReadings(const google::protobuf::RepeatedPtrField<v1::GpuReadings>& readings);
  Status HearMetrics(const v1::MetricParts& parts);
  void KeepProgress(const google::protobuf::RepeatedPtrField<v1::LeaseProgress>& progress);

  // Lets the connection go on; any thread.
  void Wake(bool is_over);
  void WriteNews();
  void AnswerProbe();
  void GrantResumption();
  // An error of the connection closes it.
  void Send(const v1::ControllerMessage& message);
  void End(const std::string& why);
  void EndWith(v1::ControllerMessage last);
  void Close();
  // Polls the socket for what is awaited now.
  void Await();

  const LinkParts& parts_;
  FrameSocket socket_;
  Phase phase_ = Phase::kGreeted;
  std::chrono::steady_clock::time_point phase_began_ = std::chrono::steady_clock::now();
  uint32_t awaited_ = 0;  // events
  NodePeer peer_;
  std::shared_ptr<NodeExchange> exchange_;  // nullptr: it has not joined
  bool has_probe_ = false;
  bool grants_resumption_ = false;
  std::vector<MetricMark> kept_;  // for the next message to the agent
  bool has_news_ = false;
  std::atomic<bool> is_woken_ = false;  // the loop will take the news
};

}  // namespace gp
