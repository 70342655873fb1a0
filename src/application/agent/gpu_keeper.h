#pragma once

// The agent's GPUs: what is seen of them becomes reports, each told until it is answered; what is
// ordered for them is carried out, each order once.  One thread (the agent's) calls it.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "domain/node/desired_state.h"
#include "domain/node/fault_signals.h"
#include "domain/node/heat.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/gpu_care.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

// The temperatures at which a GPU slows down and turns itself off, as its driver says.
struct GpuHeatLimits {
  std::optional<int> slowdown_c;
  std::optional<int> shutdown_c;
};

struct GpuKeeperOptions {
  uint64_t first_number = 1;  // of a report; above all that this node's agents ever gave
  // XIDs of the kernel's log since the last call, by position; empty: there is no log to read.
  std::function<std::vector<SeenXid>()> take_kernel_xids;
  int kernel_log_fd = -1;
  // Whose a MIG instance of a GPU is, by the driver's number of it; empty: there are none.
  std::function<LeaseId(int gpu, int gpu_instance)> lease_in;
  std::vector<GpuHeatLimits> heat_limits;  // by position; empty: the driver tells none
};

class GpuKeeper {
 public:
  // The ports outlive it.
  GpuKeeper(GpuKeeperOptions options, GpuWatch& watch, GpuCare& care, Clock& clock);

  void Look();
  void Carry(const std::vector<GpuTaskOrder>& desired);

  // Whether there is something that was not told on this connection.
  bool HasNews() const { return !unsent_.empty() || results_sent_ != results_; }
  // The number under which it is sent; the oldest, and not too many
  GpuNews NewsFor(uint64_t message);
  void Answered(uint64_t newest);  // all messages up to it
  void Disconnected();

  // Of each GPU but those that nobody has had the time to read yet.
  std::vector<GpuObservation> Observations() const;
  // Whether the last Look found another thing with a GPU than the one before it.
  bool HasNewFindings() const { return has_new_findings_; }
  // As they were seen at the last Look, by position.
  const std::vector<GpuReading>& LatestReadings() const { return readings_; }
  // When, in time since boot, Look has something to do by itself; nullopt: with the next event.
  std::optional<Instant> NextAt() const { return signals_.NextAt(); }
  std::vector<int> EventDescriptors() const {
    return {watch_.EventDescriptor(), care_.EventDescriptor(), options_.kernel_log_fd};
  }

 private:
  GpuVitals VitalsOf(int gpu, const GpuHealth& health, Instant now);
  GpuVitals VitalsNow(int gpu) const;
  bool MayBegin(const GpuTaskOrder& order, Instant now);
  void MindResets(const std::vector<GpuTaskOrder>& desired,
                  const std::vector<GpuTaskResult>& before);

  const GpuKeeperOptions options_;
  GpuWatch& watch_;
  GpuCare& care_;
  Clock& clock_;
  FaultSignals signals_;
  HeatLadder heat_;
  // By test that waits for its GPU to be read, and cool
  std::map<uint64_t, Instant> waiting_since_;
  std::vector<GpuReading> readings_;
  std::map<int, GpuVitals> vitals_;                   // by GPU, as they were read last
  std::vector<std::pair<int, HealthCode>> findings_;  // of all GPUs, at the last Look
  bool has_new_findings_ = false;
  std::vector<FaultSignal> unsent_;                          // on this connection
  std::map<uint64_t, std::vector<FaultSignal>> unanswered_;  // by message
  std::vector<GpuTaskResult> results_;                       // of the tasks that are ordered
  std::vector<GpuTaskResult> results_sent_;                  // on this connection
};

}  // namespace gp
