#include "adapters/wire/views/report_view.h"

#include <algorithm>

#include "adapters/wire/views/views.h"
#include "base/units.h"
#include "domain/cluster/under_use.h"
#include "domain/explaining/right_size.h"

namespace gp {
namespace {

double Ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Sums over all ranks.
struct Sums {
  int64_t gpus = 0;
  BusyTime busy;
  int64_t cpu_ms = 0;
  int64_t cores_ms = 0;  // available while they were measured
  bool is_memory_known = true;
  int64_t memory_mib = 0;
  int64_t memory_granted_mib = 0;

  void Add(const RankRecord& record, const RankUse& use) {
    gpus += static_cast<int64_t>(record.gpus.size());
    const BusyTime time = BusyTimeOf(use);
    busy.seen_ms += time.seen_ms;
    busy.busy_ms += time.busy_ms;
    if (use.cpu_seen_ms > 0) {
      cpu_ms += use.cpu_ms;
      cores_ms += record.cores * use.cpu_seen_ms;
    }
    is_memory_known &= use.memory_mib != GpuUse::kNotSeen && record.memory_mib > 0;
    memory_mib = std::max(memory_mib, use.memory_mib);
    memory_granted_mib = std::max(memory_granted_mib, record.memory_mib);
  }
};

const RankUse& UseOfRank(const State& state, const RankRecord& record) {
  const Lease* lease = state.FindLease(record.lease);
  return lease == nullptr ? record.use : lease->use;
}

Sums SumsOf(const State& state, const AttemptRecord& attempt) {
  Sums sums;
  for (const RankRecord& record : attempt.ranks) sums.Add(record, UseOfRank(state, record));
  return sums;
}

int64_t GpuMemory(const NodeFacts& facts, int gpu) {
  return static_cast<size_t>(gpu) < facts.gpus.size()
             ? facts.gpus[static_cast<size_t>(gpu)].memory_mib
             : 0;
}

int64_t GrantedMemory(const Lease* lease, const JobSpec& spec, int gpu, int64_t whole) {
  if (lease != nullptr) {
    const auto grant = std::ranges::find(lease->gpus, gpu, &GpuGrant::gpu);
    if (grant != lease->gpus.end()) return grant->memory_mib;
  }
  return spec.resources.gpus.memory_mib > 0
             ? spec.resources.gpus.memory_mib
             : whole * spec.resources.gpus.share_thousandths / kShareMax;
}

void GpuView(const NodeFacts& facts, const Lease* lease, const JobSpec& spec, const RankUse& use,
             int gpu, v1::GpuReport* message) {
  message->set_index(gpu);
  if (static_cast<size_t>(gpu) < facts.gpus.size())
    message->set_model(facts.gpus[static_cast<size_t>(gpu)].model);
  message->set_memory_bytes(GrantedMemory(lease, spec, gpu, GpuMemory(facts, gpu)) * kMiB);
  const auto seen = std::ranges::find(use.gpus, gpu, &GpuUse::gpu);
  if (seen == use.gpus.end()) return;
  if (seen->seen_ms > 0) message->set_busy(Ratio(seen->busy_ms, seen->seen_ms));
  message->set_measured_seconds(static_cast<double>(seen->seen_ms) / 1000);
  if (seen->memory_mib != GpuUse::kNotSeen) message->set_memory_bytes_max(seen->memory_mib * kMiB);
}

void RankView(const State& state, const JobSpec& spec, const RankRecord& record, int rank,
              v1::RankReport* message) {
  const NodeFacts& facts = *state.FindNode(record.node)->facts;
  const RankUse& use = UseOfRank(state, record);
  message->set_rank(rank);
  message->set_node(facts.name);
  if (use.cpu_seen_ms > 0) message->set_cores_used(Ratio(use.cpu_ms, use.cpu_seen_ms));
  if (record.cores > 0) message->set_cores(record.cores);
  if (use.memory_mib != GpuUse::kNotSeen) message->set_memory_bytes_max(use.memory_mib * kMiB);
  if (record.memory_mib > 0) message->set_memory_bytes(record.memory_mib * kMiB);
  const Lease* lease = state.FindLease(record.lease);
  for (const int gpu : record.gpus) GpuView(facts, lease, spec, use, gpu, message->add_gpus());
}

RankUsed UsedByRank(const State& state, const RankRecord& record) {
  const NodeFacts& facts = *state.FindNode(record.node)->facts;
  const RankUse& use = UseOfRank(state, record);
  RankUsed used{{}, use.cpu_ms, use.cpu_seen_ms, use.memory_mib};
  for (const int gpu : record.gpus) {
    const auto seen = std::ranges::find(use.gpus, gpu, &GpuUse::gpu);
    used.gpus.push_back(
        {seen == use.gpus.end() ? GpuUse{.gpu = gpu} : *seen, GpuMemory(facts, gpu)});
  }
  return used;
}

AttemptUsed UsedByLastAttempt(const State& state, const Job& job, Instant now) {
  const AttemptRecord& attempt = job.attempts.back();
  const Instant end =
      attempt.ended_at.ns != 0 ? attempt.ended_at : std::max(now, attempt.placed_at);
  AttemptUsed used{end - attempt.placed_at, job.state == JobState::kCompleted, {}};
  for (const RankRecord& record : attempt.ranks) used.ranks.push_back(UsedByRank(state, record));
  return used;
}

void SumsView(const Sums& sums, int64_t held_ms, v1::JobReport* message) {
  message->set_gpus(static_cast<int>(sums.gpus));
  if (sums.busy.seen_ms > 0) message->set_gpu_busy(Ratio(sums.busy.busy_ms, sums.busy.seen_ms));
  if (held_ms > 0) message->set_gpu_measured(std::min(1.0, Ratio(sums.busy.seen_ms, held_ms)));
  if (sums.cores_ms > 0) message->set_cpu_used(Ratio(sums.cpu_ms, sums.cores_ms));
  if (sums.is_memory_known && sums.memory_granted_mib > 0)
    message->set_memory_used(Ratio(sums.memory_mib, sums.memory_granted_mib));
}

// The policy's rule on underutilized GPUs, as text.
std::string RuleText(const UnderUseRule& rule, const JobSpec& spec) {
  std::string text;
  if (rule.warn_after.ns > 0) text = "its user is notified after " + ToText(rule.warn_after);
  if (rule.stop_after.ns > 0)
    text += (text.empty() ? "" : ", ") + std::string("after ") + ToText(rule.stop_after) +
            (KeepsWork(spec) ? " it is interrupted and held" : " it is stopped");
  return text.empty() ? ""
                      : "busy for less than " + std::to_string(rule.below_percent) + " %: " + text;
}

void IdleView(const State& state, const Job& job, v1::JobReport* message) {
  if (job.leases.empty()) return;
  const Lease& first = *state.FindLease(job.leases.front());
  message->set_idle_seconds(static_cast<double>(IdleMs(state, job, first, first.idle_ms)) / 1000);
}

void AdviceView(const Advice& advice, int64_t held_ms, v1::Advice* message) {
  message->set_kind(Name(advice.kind));
  message->set_text(advice.text);
  if (advice.saved_thousandths > 0)
    message->set_gpu_hours_saved(static_cast<double>(held_ms) / 3'600'000 *
                                 advice.saved_thousandths / 1000);
}

void LastAttemptView(const State& state, const Job& job, Instant now, v1::JobReport* message) {
  const AttemptRecord& attempt = job.attempts.back();
  message->set_attempt(attempt.number);
  for (size_t rank = 0; rank < attempt.ranks.size(); ++rank)
    RankView(state, *job.spec, attempt.ranks[rank], static_cast<int>(rank), message->add_ranks());
  const AttemptUsed used = UsedByLastAttempt(state, job, now);
  message->set_run_seconds(attempt.started_at.ns == 0 ? 0 : SecondsOf(used.length));
  const Sums sums = SumsOf(state, attempt);
  const int64_t held_ms = sums.gpus * used.length.ToMilliseconds();
  SumsView(sums, held_ms, message);
  IdleView(state, job, message);
  if (sums.gpus > 0)
    message->set_idle_rule(RuleText(RuleOf(state.policy.under_use, *job.spec), *job.spec));
  for (const Advice& advice : RightSize(*job.spec, used))
    AdviceView(advice, held_ms, message->add_advice());
}

}  // namespace

void ReportView(const State& state, const Job& job, Instant now, v1::JobReport* message) {
  message->set_job_id(NameOf(job));
  message->set_name(job.spec->name);
  message->set_user(job.user.name);
  message->set_state(ToProto(Shown(job.state)));
  if (!job.attempts.empty()) LastAttemptView(state, job, now, message);
}

}  // namespace gp
