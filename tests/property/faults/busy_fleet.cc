#include "tests/property/faults/busy_fleet.h"

#include "base/assert.h"
#include "domain/cluster/next_deadline.h"
#include "domain/cluster/nodes/report_of.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int kProgramsPerUser = 20;

}  // namespace

BusyFleet::BusyFleet(uint64_t seed) : rng_(seed) {
  engine_.AdvanceTo({1'700'000'000'000'000'000});
  Tell(StartController{TestPolicy()});
  for (int i = 0; i < kNodes; ++i) {
    const NodeId node =
        engine_.AddNode(TestCluster::MakeFacts("n" + std::to_string(i), {0, 0, 0, 0, 1, 1, 1, 1}));
    for (int gpu = 0; gpu < kGpusPerNode; ++gpu) Fill({node, gpu});
  }
}

std::vector<Event> BusyFleet::Tell(Command command) {
  auto events = engine_.Execute(std::move(command));
  GP_ASSERT(events.has_value(), "a fleet of a test is not refused anything");
  for (const Event& event : *events) {
    if (const auto* changed = std::get_if<GpuConditionChanged>(&event)) {
      if (state().FindNode(changed->node)->leases.empty()) continue;  // its first test
      changes_.push_back(state().FindNode(changed->node)->facts->name + "/" +
                         std::to_string(changed->gpu) + " " + Name(changed->to) + ": " +
                         changed->reason);
    }
  }
  return *std::move(events);
}

void BusyFleet::AdvanceTo(Instant at) {
  for (Instant due = NextDeadline(state()); due.ns != 0 && due <= at; due = NextDeadline(state())) {
    engine_.AdvanceTo(std::max(due, engine_.now()));
    if (Tell(Tick{}).empty()) break;
  }
  engine_.AdvanceTo(at);
}

GpuKey BusyFleet::AnyGpu() {
  return {{static_cast<uint32_t>(rng_.Below(kNodes))}, static_cast<int>(rng_.Below(kGpusPerNode))};
}

const Gpu& BusyFleet::gpu(const GpuKey& key) const {
  return state().FindNode(key.node)->gpus[static_cast<size_t>(key.gpu)];
}

JobId BusyFleet::HolderOf(const GpuKey& key) const {
  const Gpu& held = gpu(key);
  return held.leases.empty() ? JobId{} : state().FindLease(held.leases.front())->job;
}

void BusyFleet::Reserve(const GpuKey& gpu, const std::string& user, const std::string& command) {
  reserved_[gpu] = {user, command};
}

BusyFleet::Tenant BusyFleet::NextTenant(const GpuKey& gpu) {
  ++runs_;
  const auto found = reserved_.find(gpu);
  if (found == reserved_.end()) {
    return {"user" + std::to_string(rng_.Below(kUsers)),
            "train-" + std::to_string(rng_.Below(kProgramsPerUser))};
  }
  Tenant tenant = found->second;
  const size_t gap = tenant.command.find("{}");
  if (gap != std::string::npos) tenant.command.replace(gap, 2, std::to_string(runs_));
  return tenant;
}

// REQUIRES: it is the only GPU that is free.
void BusyFleet::Fill(const GpuKey& key) {
  if (gpu(key).condition != GpuCondition::kAvailable) return;
  const Tenant tenant = NextTenant(key);
  JobSpec spec;
  spec.program.command = {tenant.command};
  spec.resources.cpus = 1;
  spec.resources.memory_bytes = int64_t{1} << 30;
  const auto job = engine_.Submit(std::make_shared<const JobSpec>(spec), {tenant.user, 1, 1});
  GP_ASSERT(job.has_value(), "a job of a fleet is taken");
  engine_.Pass();
  GP_ASSERT(state().FindJob(*job)->state == JobState::kStarting,
            "a free GPU is given to who waits");
  engine_.Start(*job);
}

void BusyFleet::Leave(JobId job) {
  const LeaseId lease = state().FindJob(job)->leases.front();
  ReportNode report = ReportOf(state(), now(), lease, LeaseEnd::kExited);
  for (LeaseObservation& seen : report.leases) {
    if (seen.lease == lease)
      seen.outcome = state().FindLease(lease)->stop == StopOrder::kNone
                         ? LeaseOutcome{LeaseEnd::kExited, 1, 0, ""}
                         : LeaseOutcome{LeaseEnd::kStopped, 0, 0, ""};
  }
  Tell(std::move(report));
  if (!IsTerminal(state().FindJob(job)->state)) Tell(StopJob{job, false});  // its user gives up
}

void BusyFleet::Finish(const GpuKey& gpu) { engine_.Finish(HolderOf(gpu)); }

void BusyFleet::Crash(const GpuKey& key, int xid) {
  const JobId job = HolderOf(key);
  if (job.value == 0) return;
  FaultSignal signal;
  signal.number = ++signals_;
  signal.gpu = key.gpu;
  signal.xid = xid;
  signal.lease = gpu(key).leases.front();
  signal.at = now();
  Tell(ReportGpus{key.node, state().FindNode(key.node)->incarnation, {signal}, {}});
  // Suspected: the test wants to see what becomes of its job.
  if (gpu(key).condition != GpuCondition::kAvailable) return;
  Leave(job);
  Fill(key);
}

}  // namespace gp
