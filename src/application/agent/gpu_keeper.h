#pragma once

#include <functional>
#include <map>
#include <optional>
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

// The temperatures at which a GPU slows down and shuts down, as its driver reports them.
struct GpuHeatLimits {
  std::optional<int> slowdown_c;
  std::optional<int> shutdown_c;
};

// Facts and functions that a GpuKeeper is started with.
struct GpuKeeperOptions {
  uint64_t first_number = 1;  // of a fault signal; above all numbers of this node's earlier agents
  // XIDs in the kernel log since the last call, by position; empty: there is no log to read.
  std::function<std::vector<SeenXid>()> take_kernel_xids;
  int kernel_log_fd = -1;
  // The lease that has a MIG instance, by the driver's number of it; empty: there are none.
  std::function<LeaseId(int gpu, int gpu_instance)> lease_in;
  std::vector<GpuHeatLimits> heat_limits;  // by position; empty: unknown
};

// Looks after the agent's GPUs: it turns observations into fault signals, which are sent until they
// are acknowledged, and carries out each GPU task once.  One thread (the agent's) calls it.
class GpuKeeper {
 public:
  // The ports outlive it.
  GpuKeeper(GpuKeeperOptions options, GpuWatch& watch, GpuCare& care, Clock& clock);

  void Look();
  void CarryOut(const std::vector<DesiredGpuTask>& desired);

  // Whether there is news that was not sent on this connection.
  bool HasNews() const { return !unsent_.empty() || results_sent_ != results_; }
  // The oldest news, a limited number of signals, to send as this message.
  GpuNews NewsFor(uint64_t message);
  void Acknowledged(uint64_t newest);  // all messages up to this one are acknowledged
  void Disconnected();

  // All GPUs, except those whose first reading is still awaited.
  std::vector<GpuObservation> Observations() const;
  // Whether the findings of the last Look differ from those of the Look before.
  bool HasNewFindings() const { return has_new_findings_; }
  // Readings at the last Look, by position.
  const std::vector<GpuReading>& LatestReadings() const { return readings_; }
  // When Look and CarryOut are due without an event, in time since boot; nullopt: only with the
  // next event.
  std::optional<Instant> NextAt() const;
  std::vector<int> EventDescriptors() const {
    return {watch_.EventDescriptor(), care_.EventDescriptor(), options_.kernel_log_fd};
  }

 private:
  GpuVitals VitalsOf(int gpu, const GpuHealth& health, Instant now);
  GpuVitals VitalsNow(int gpu) const;
  bool MayBegin(const DesiredGpuTask& desired_task, Instant now);
  void BeginTasks(const std::vector<DesiredGpuTask>& desired, Instant now);
  // Holds back this passed test while other tests are about to end; false: it is to be reported.
  bool Hold(const DesiredGpuTask& ended, const std::vector<DesiredGpuTask>& desired, Instant now);
  void NoteResets(const std::vector<DesiredGpuTask>& desired,
                  const std::vector<GpuTaskResult>& before);

  const GpuKeeperOptions options_;
  GpuWatch& watch_;
  GpuCare& care_;
  Clock& clock_;
  FaultSignals signals_;
  HeatLadder heat_;
  // By GPU, the task that was begun and has not ended, also one that is no longer desired.
  std::map<int, uint64_t> running_;
  // By test that waits until its GPU is read and cool
  std::map<uint64_t, Instant> waiting_since_;
  std::optional<Instant> held_since_;  // the oldest result that is held
  std::vector<GpuReading> readings_;
  std::map<int, GpuVitals> vitals_;                   // by GPU, from its last reading
  std::vector<std::pair<int, HealthCode>> findings_;  // of all GPUs, at the last Look
  bool has_new_findings_ = false;
  std::vector<FaultSignal> unsent_;                              // on this connection
  std::map<uint64_t, std::vector<FaultSignal>> unacknowledged_;  // by message
  std::vector<GpuTaskResult> results_;                           // of tasks in the desired state
  std::vector<GpuTaskResult> results_sent_;                      // on this connection
};

}  // namespace gp
