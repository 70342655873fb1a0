#include "tests/property/physical_world.h"

#include <algorithm>

namespace gp {
namespace {

constexpr Duration kKillTime = Duration::Milliseconds(50);

}  // namespace

void PhysicalWorld::Break(const std::string& what) {
  if (broken_.empty()) broken_ = what;
}

Program& PhysicalWorld::Of(LeaseId lease) {
  if (lease.value >= programs_.size()) programs_.resize(lease.value + 1);
  return programs_[lease.value];
}

const std::vector<LeaseId>& PhysicalWorld::known_on(NodeId node) {
  if (node.value >= known_.size()) known_.resize(node.value + 1);
  return known_[node.value];
}

void PhysicalWorld::AdvanceTo(Instant now) {
  // From the back: an end removes its own entry only.
  for (size_t i = alive_.size(); i-- > 0;) {
    Program& program = Of(alive_[i]);
    if (program.desired.lease.stop_on_loss && !program.lost_lease && program.lease_until <= now) {
      program.lost_lease = true;
      const Instant over_at = program.lease_until + program.lease_end_time;
      if (program.over_at.ns == 0 || over_at < program.over_at) {
        program.over_at = over_at;
        program.ending = {LeaseEnd::kLeaseLost, 0, 0, ""};
      }
    }
    if (program.over_at.ns != 0 && program.over_at <= now) {
      End(program, program.over_at, program.ending);
    }
  }
  for (const LeaseId id : alive_) Meter(Of(id), now);
}

void PhysicalWorld::CountFromZero(Instant now, LeaseId lease) {
  Program& program = Of(lease);
  if (!program.is_alive) return;
  program.use = {};
  program.use.since = program.metered_at = now;
  program.busy_percent = rng_.Chance(1, 3) ? 0 : rng_.Between(0, 100);
}

void PhysicalWorld::Meter(Program& program, Instant now) {
  const int64_t span_ms = (now - program.metered_at).ToMilliseconds();
  if (program.use.since.ns == 0 || span_ms <= 0) return;
  program.metered_at = now;
  program.use.cpu_seen_ms += span_ms;
  program.use.cpu_ms += 2 * span_ms;
  program.use.gpus.resize(program.desired.lease.gpus.size());
  for (size_t i = 0; i < program.use.gpus.size(); ++i) {
    GpuUse& gpu = program.use.gpus[i];
    gpu.gpu = program.desired.lease.gpus[i].gpu;
    if (program.desired.lease.mode != GpuMode::kWhole) continue;
    gpu.seen_ms += span_ms;
    gpu.busy_ms += span_ms * program.busy_percent / 100;
    gpu.memory_mib = std::max<int64_t>(gpu.memory_mib, program.busy_percent);
  }
}

void PhysicalWorld::End(Program& program, Instant at, const LeaseOutcome& outcome) {
  program.is_alive = false;
  program.over_at = at;
  program.ending = outcome;
  std::erase(alive_, program.desired.lease.id);
}

void PhysicalWorld::Start(Instant now, const DesiredLease& desired, const NodeFacts& facts,
                          Instant lease_until) {
  const LeaseId id = desired.lease.id;
  (void)known_on(desired.lease.node);
  Program& program = Of(id);
  if (program.was_started) Break(ToText(id) + " was started twice");
  program.desired = desired;
  program.was_started = true;
  program.is_known = true;
  program.started_at = now;
  program.lease_until = lease_until;
  program.lease_end_time = {
      static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(policy_.lease_end_time.ns)))};
  known_[desired.lease.node.value].push_back(id);
  if (desired.lease.stop_on_loss && lease_until <= now) {
    program.over_at = now;
    program.ending = {LeaseEnd::kLeaseLost, 0, 0, ""};
    return;
  }
  if (rng_.Chance(1, 40)) {  // its isolation is refused, say
    program.over_at = now;
    program.ending = {LeaseEnd::kPlatformFault, 0, 0, ""};
    return;
  }
  CheckStart(desired, facts);
  CheckResume(desired);
  CheckImage(desired);
  CheckPorts(desired);
  program.is_alive = true;
  alive_.push_back(id);
  CountFromZero(now, id);
}

namespace {

// Whether two MIG instances of a GPU (real or reported) have a memory slice in common.
bool Overlap(const MigTable& table, const GpuGrant& a, const GpuGrant& b) {
  const auto end = [&](const GpuGrant& grant) {
    const auto profile = std::ranges::find(table.profiles, grant.mig_profile, &MigProfile::id);
    return profile == table.profiles.end() ? table.memory_slices
                                           : grant.mig_start + profile->memory_slices;
  };
  return a.mig_start < end(b) && b.mig_start < end(a);
}

}  // namespace

void PhysicalWorld::CheckAgainst(const Lease& mine, const User& user, const DesiredLease& other,
                                 const NodeFacts& facts) {
  if (other.lease.job == mine.job && other.lease.attempt != mine.attempt) {
    Break(ToText(mine.job) + ": two attempts run at once");
  }
  if (other.lease.node != mine.node) return;
  for (const GpuGrant& grant : mine.gpus) {
    const auto same = std::ranges::find(other.lease.gpus, grant.gpu, &GpuGrant::gpu);
    if (same == other.lease.gpus.end()) continue;
    const bool by_mig = mine.mode == GpuMode::kMig &&
                        !Overlap(facts.gpus[static_cast<size_t>(grant.gpu)].mig, grant, *same);
    const bool by_user = (mine.mode == GpuMode::kTimeslice || mine.mode == GpuMode::kMps) &&
                         user.name == other.user.name;
    if (mine.mode != other.lease.mode || (!by_mig && !by_user))
      Break("GPU " + std::to_string(grant.gpu) + " runs two tenants");
  }
  for (const NumaGrant& grant : mine.numa) {
    for (const NumaGrant& theirs : other.lease.numa) {
      if (grant.cpus.Intersects(theirs.cpus)) Break("a core runs two tenants");
    }
  }
}

void PhysicalWorld::CheckStart(const DesiredLease& desired, const NodeFacts& facts) {
  const Lease& mine = desired.lease;
  for (const LeaseId id : alive_) CheckAgainst(mine, desired.user, Of(id).desired, facts);
  for (const GpuGrant& grant : mine.gpus) {
    int share = grant.share;
    int64_t memory_mib = grant.memory_mib;
    for (const LeaseId id : alive_) {
      const Lease& other = Of(id).desired.lease;
      if (other.node != mine.node) continue;
      const auto same = std::ranges::find(other.gpus, grant.gpu, &GpuGrant::gpu);
      if (same == other.gpus.end()) continue;
      share += same->share;
      memory_mib += same->memory_mib;
    }
    if (share > 1000) Break("GPU " + std::to_string(grant.gpu) + " computes for more than it has");
    if (memory_mib > facts.gpus[static_cast<size_t>(grant.gpu)].memory_mib) {
      Break("GPU " + std::to_string(grant.gpu) + " promised more memory than it has");
    }
  }
}

// All ranks and attempts of a job have the same image.
void PhysicalWorld::CheckImage(const DesiredLease& desired) {
  const std::string& first =
      images_.try_emplace(desired.lease.job, desired.image_digest).first->second;
  if (first != desired.image_digest)
    Break(ToText(desired.lease.job) + " starts with another image");
}

// The ranks of an attempt meet at the same ports.
void PhysicalWorld::CheckPorts(const DesiredLease& desired) {
  const int first =
      ports_.try_emplace({desired.lease.job, desired.lease.attempt}, desired.first_port)
          .first->second;
  if (first != desired.first_port || desired.awaits_ports)
    Break(ToText(desired.lease.job) + ": its ranks meet at different ports");
}

// It goes on from something that is whole and its own, and never from less than before.
void PhysicalWorld::CheckResume(const DesiredLease& desired) {
  const auto [first, is_first] =
      resumed_.try_emplace({desired.lease.job, desired.lease.attempt}, desired.resume_from);
  if (!is_first && first->second != desired.resume_from)
    Break(ToText(desired.lease.job) + ": its ranks go on from different checkpoints");
  if (desired.resume_from.empty()) return;
  const auto written = complete_.find(desired.resume_from);
  if (written == complete_.end() || written->second != desired.lease.job)
    Break(ToText(desired.lease.job) + " is to go on from what it has not written");
  if (desired.node_names.size() > 1) return;  // ranks tell of theirs in any order
  int64_t& step = known_step_[desired.lease.job];
  if (desired.resume_step < step)
    Break(ToText(desired.lease.job) + " is to go on from less than before");
  step = desired.resume_step;
}

void PhysicalWorld::SaveCheckpoint(Instant now, LeaseId lease) {
  Program& program = Of(lease);
  if (!program.is_alive || program.is_hung) return;
  Checkpoint checkpoint;
  checkpoint.number = static_cast<int64_t>(++checkpoints_);
  checkpoint.step = checkpoint.number;
  checkpoint.path = "/ckpt/" + std::to_string(checkpoints_);
  checkpoint.is_complete = rng_.Chance(2, 3);
  checkpoint.at = now;
  checkpoint.is_scored = rng_.Chance(1, 2);
  checkpoint.score = static_cast<int64_t>(rng_.Below(5));
  if (checkpoint.is_complete) complete_[checkpoint.path] = program.desired.lease.job;
  program.checkpoints.push_back(std::move(checkpoint));
  if (program.checkpoints.size() > 8) program.checkpoints.erase(program.checkpoints.begin());
}

void PhysicalWorld::Discard(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) complete_.erase(path);
}

void PhysicalWorld::Renew(LeaseId lease, Instant until) {
  Program& program = Of(lease);
  if (program.is_alive && !program.lost_lease) program.lease_until = until;
}

void PhysicalWorld::Stop(Instant now, LeaseId lease, Duration grace) {
  Program& program = Of(lease);
  if (!program.is_alive) return;
  const Duration time =
      grace.ns > 0 ? Duration{static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(grace.ns)))}
                   : kKillTime;
  if (program.over_at.ns != 0 && program.over_at <= now + time) return;
  program.over_at = now + time;
  program.ending = {LeaseEnd::kStopped, 0, 0, ""};
}

void PhysicalWorld::Exit(Instant now, LeaseId lease, int code, const LogClues& clues) {
  Program& program = Of(lease);
  if (program.is_alive) End(program, now, {LeaseEnd::kExited, code, 0, "", clues});
}

void PhysicalWorld::PowerOff(Instant now, NodeId node) {
  for (const LeaseId id : known_on(node)) {
    if (Of(id).is_alive) End(Of(id), now, {LeaseEnd::kSupervisorLost, 0, 0, ""});
  }
}

void PhysicalWorld::WipeRecords(NodeId node) {
  for (const LeaseId id : known_on(node)) Of(id).is_known = false;
  known_[node.value].clear();
}

void PhysicalWorld::Forget(LeaseId lease) {
  Program& program = Of(lease);
  if (program.is_alive) Break(ToText(lease) + " was forgotten while it runs");
  program.is_known = false;
  std::erase(known_[program.desired.lease.node.value], lease);
}

LeaseObservation PhysicalWorld::Observe(LeaseId lease) {
  const Program& program = Of(lease);
  LeaseObservation seen;
  seen.lease = lease;
  seen.running = program.is_alive;
  seen.ended = !program.is_alive;
  seen.started_at = program.started_at;
  seen.checkpoints = program.checkpoints;
  seen.is_hung = program.is_hung;
  // It says so once more as long as it runs.
  if (program.is_alive && !program.is_hung && rng_.Chance(1, 60)) seen.metric_rule = 1;
  seen.use = program.use;
  // What cannot be
  if (!seen.use.gpus.empty() && rng_.Chance(1, 50))
    seen.use.gpus[0].busy_ms = seen.use.gpus[0].seen_ms + 1;
  if (seen.ended) {
    seen.ended_at = program.over_at;
    seen.outcome = program.ending;
  }
  return seen;
}

}  // namespace gp
