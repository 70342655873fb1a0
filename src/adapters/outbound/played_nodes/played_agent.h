#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/model/nodes/lease.h"
#include "domain/model/nodes/node.h"
#include "gpu_platform/v1/node.pb.h"
#include "lib/sockets/dial.h"
#include "lib/sockets/event_loop.h"
#include "lib/sockets/frame_socket.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The node that an agent plays.
struct PlayedNode {
  std::string name;
  uint64_t number = 0;                       // tells its GPUs from those of other nodes
  std::shared_ptr<const NodeFacts> machine;  // without name and UUIDs; many nodes share it
};

// What the agents of one controller share.
struct PlayedController {
  std::vector<std::string> addresses;  // of several controllers: one of them leads, and answers
  std::string join_token;              // read without TLS only
  // How long a job runs.
  std::function<Duration(const v1::JobSpec&)> run_time;
};

// What agents have seen of their controller, together.
struct PlayedTimes {
  int joined = 0;                                   // now
  uint64_t messages = 0;                            // heartbeats and reports
  std::vector<double> answer_ms;                    // of messages, from sending to the answer
  std::map<std::string, int> ended;                 // connections that are over, by reason
  Duration heartbeat_every = Duration::Seconds(1);  // the controller's period
};

// An agent without a machine: it joins, reports its GPUs with readings and takes answers, over a
// connection of its own.  It starts no process: a job runs for its run time, and exits with 0
// unless it is stopped before.  When its connection ends, it can connect again.  It lives on the
// loop's thread.
class PlayedAgent : public Watched, public std::enable_shared_from_this<PlayedAgent> {
 public:
  // `tls`: nullopt: without.  The rest outlives the agent.
  PlayedAgent(PlayedNode node, const PlayedController& controller, std::optional<TlsSide> tls,
              EventLoop& loop, PlayedTimes& times)
      : node_(std::move(node)),
        controller_(controller),
        tls_(std::move(tls)),
        loop_(loop),
        times_(times) {}

  // Starts to connect, if it is not connected.
  void Connect();
  // Sends its next heartbeat, or a report.  Skipped while it has not joined, or while the
  // controller does not take an earlier one.
  void Beat();
  void OnReady(uint32_t events) override;

 private:
  struct PlayedLease {
    int64_t started_at_ns = 0;  // since 1970, as the next one
    int64_t ends_at_ns = 0;
    LeaseEnd end = LeaseEnd::kExited;
    std::vector<int> gpus;
    bool is_reported = false;  // that it has ended
  };

  v1::AgentMessage JoinMessage() const;
  v1::AgentMessage NextMessage();
  v1::AgentMessage ReportMessage();
  // As of `now_ns`, since 1970.
  void AddLeases(google::protobuf::RepeatedPtrField<v1::LeaseObservation>* leases,
                 int64_t now_ns) const;
  void AddReadings(google::protobuf::RepeatedPtrField<v1::GpuReadings>* readings) const;
  bool HasEnded() const;  // a lease, which is not reported yet
  Status GoOn();
  Status Greet(Descriptor connected);
  Status Hear(const v1::ControllerMessage& message);
  Status Obey(const v1::Orders& orders);
  Status Send(const v1::AgentMessage& message);
  void End(const std::string& why);
  // Polls for what is awaited now.
  void Await();
  // `descriptor`: -1: none.
  void Watch(int descriptor, uint32_t events);

  const PlayedNode node_;
  const PlayedController& controller_;
  std::optional<TlsSide> tls_;
  EventLoop& loop_;
  PlayedTimes& times_;
  uint64_t last_number_ = 1;
  std::map<uint64_t, int64_t> sent_ns_;     // messages without an answer
  std::map<uint64_t, PlayedLease> leases_;  // that it is to hold
  uint64_t lineage_ = 0;                    // of its leases
  uint64_t connections_ = 0;
  size_t tried_ = 0;                   // addresses, one after the other
  std::optional<Dial> dial_;           // until it is connected
  std::optional<FrameSocket> socket_;  // from then on
  int watched_ = -1;                   // descriptor
  bool has_joined_ = false;
};

}  // namespace gp
