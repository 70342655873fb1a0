#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "gpu_platform/v1/node.grpc.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The node that an agent plays.
struct PlayedNode {
  std::string name;
  uint64_t number = 0;  // tells its GPUs from those of other nodes
  int gpus = 8;
};

// What an agent has seen of its controller.
struct PlayedTimes {
  bool has_joined = false;
  uint64_t messages = 0;
  std::vector<double> answer_ms;  // of messages, from sending to the answer
  std::string ended;              // why its connection has ended; empty: it has not
};

// An agent without a machine: it joins, reports its GPUs with readings and takes answers, over a
// connection of its own.  It starts no job.  gRPC's threads call the reactions; one thread calls
// the rest.
class PlayedAgent : private grpc::ClientBidiReactor<v1::AgentMessage, v1::ControllerMessage> {
 public:
  PlayedAgent(PlayedNode node, const std::string& address, const std::string& join_token);
  ~PlayedAgent() override;

  // Sends its next heartbeat, or a report.  Skipped while it has not joined, or is still writing an
  // earlier message.
  void Beat();
  // The controller's period; a second if it names none.
  Duration heartbeat_every();
  // Since the last call.
  PlayedTimes TakeTimes();
  bool has_joined();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void EndWrites();
  v1::AgentMessage JoinMessage() const;
  void AddReadings(google::protobuf::RepeatedPtrField<v1::GpuReadings>* readings) const;
  v1::AgentMessage NextMessage() const;

  const PlayedNode node_;
  std::unique_ptr<v1::NodeLink::Stub> stub_;
  grpc::ClientContext context_;
  v1::AgentMessage out_;
  v1::ControllerMessage in_;

  std::mutex mutex_;
  std::condition_variable over_;
  uint64_t last_number_ = 1;
  std::map<uint64_t, int64_t> sent_ns_;  // messages without an answer
  Duration heartbeat_every_ = Duration::Seconds(1);
  bool writes_ = true;  // the join
  bool may_write_ = true;
  bool is_over_ = false;
  PlayedTimes times_;
};

}  // namespace gp
