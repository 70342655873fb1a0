#pragma once

// Many nodes of a real controller, played in this process: each answers orders as an agent would, a
// moment later.

#include <condition_variable>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "ports/inbound/control_gateway.h"
#include "ports/outbound/clock.h"

namespace gp {

inline constexpr int kFleetGpus = 4;  // of a node

// When it happened to a GPU, and to the job on it; ns == 0: not yet.
struct Stricken {
  JobId job;
  Instant reported;
  Instant taken_out;
  Instant queued;   // its job: told to start again
  Instant running;  // its job: elsewhere
  Instant back;
};

class Fleet : public CommitObserver {
 public:
  Fleet(ControlGateway& gateway, Clock& clock) : gateway_(gateway), clock_(clock) {}
  ~Fleet() override;

  // Nodes of four GPUs, all well.
  void Join(int nodes);
  // Until all of them run.
  void Run(int jobs);
  // A fatal error of one GPU that a job runs on, of node after node, evenly over that time; then
  // waits until every job runs again, at most for that time.
  void Strike(int nodes, Duration over, Duration patience);

  void OnCommit(const State& state, const CommittedRecords& committed) override;

  const std::map<std::pair<uint32_t, int>, Stricken>& stricken() const { return stricken_; }
  int resets() const { return resets_; }
  int breakers() const { return breakers_; }
  int drains() const { return drains_; }
  bool AwaitAllBack(Duration patience);

 private:
  struct Node {
    uint64_t incarnation = 1;
    uint64_t signals = 0;
    std::map<LeaseId, LeaseObservation> leases;
  };
  // What a node will say at that time.
  struct Due {
    Instant at;
    NodeId node;
    LeaseId lease;  // 0: of a GPU's task
    bool ends = false;
    GpuTaskResult result = {};
    bool operator<(const Due& other) const { return at > other.at; }
  };

  void Note(const Event& event);
  void Answer();
  void Say(const Due& due);
  void Beat();
  bool Await(const std::function<bool()>& done, Duration patience);

  ControlGateway& gateway_;
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint32_t, Node> nodes_;
  std::priority_queue<Due> due_;
  std::set<JobId> running_;
  std::map<LeaseId, std::pair<NodeId, int>> places_;
  std::map<LeaseId, JobId> jobs_;
  std::map<JobId, LeaseId> leases_;  // the newest of each; a job here has one GPU
  std::map<std::pair<uint32_t, int>, Stricken> stricken_;
  std::map<JobId, std::pair<uint32_t, int>> struck_jobs_;
  int resets_ = 0;
  int breakers_ = 0;
  int drains_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gp
