#include "adapters/wire/views/queue_views.h"

#include <algorithm>

#include "adapters/wire/enum_from.h"
#include "adapters/wire/job_spec.h"
#include "base/units.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/quotas/wait_targets.h"

namespace gp {
namespace {

void UseView(const Account& account, v1::Use* message) {
  message->set_gpus(static_cast<double>(account.held.share) / kWholeShare);
  message->set_jobs(account.held.jobs);
  message->set_gpu_hours(GpuHours(account.period_use));
  message->set_recent_gpu_hours(GpuHours(account.faded_use));
  message->set_cpus(account.held.cpus);
  message->set_memory_bytes(account.held.memory_mib * kMiB);
}

void QuotaView(const Quota& quota, v1::Quota* message) {
  if (quota.gpus) message->set_gpus(*quota.gpus);
  if (quota.jobs) message->set_jobs(*quota.jobs);
  if (quota.gpu_hours) message->set_gpu_hours(*quota.gpu_hours);
  if (quota.cpus) message->set_cpus(*quota.cpus);
  if (quota.memory_mib) message->set_memory_bytes(*quota.memory_mib * kMiB);
}

// The queue's part of what it shares with its siblings: by weight, and by use.
void ShareView(const State& state, const Queue& queue, Instant now, v1::Queue* message) {
  double weights = 0;
  double use = 0;
  for (const auto& [name, other] : state.queues.all) {
    if (other.pool != queue.pool || ParentOf(name) != ParentOf(queue.name)) continue;
    weights += other.weight;
    use += static_cast<double>(AccountAt(state, {name, ""}, now).faded_use);
  }
  message->set_share(queue.weight / weights);
  if (use > 0)
    message->set_share_used(static_cast<double>(AccountAt(state, {queue.name, ""}, now).faded_use) /
                            use);
}

bool IsWithin(const std::string& queue, const std::string& upper) {
  return queue == upper || queue.starts_with(upper + "/");
}

std::optional<int64_t> Given(bool has, int64_t value) {
  return has ? std::optional<int64_t>(value) : std::nullopt;
}

// -1, which is no size, stays.
int64_t WholeMiB(int64_t bytes) { return bytes < 0 ? bytes : bytes / kMiB; }

SetQueue::QuotaChange FromProto(const v1::SetQueueRequest::QuotaChange& message) {
  return {Given(message.has_gpus(), message.gpus()), Given(message.has_jobs(), message.jobs()),
          Given(message.has_gpu_hours(), message.gpu_hours()),
          Given(message.has_cpus(), message.cpus()),
          Given(message.has_memory_bytes(), WholeMiB(message.memory_bytes()))};
}

// The queue with those below it; leaves the message absent if none has a target in force.
void WaitsView(const State& state, const std::string& queue, Instant now, v1::Queue* message) {
  WaitCount total, last_day;
  int64_t late = 0;
  bool has_target = false;
  const auto& targets = state.queues.wait_targets;
  for (auto target = targets.lower_bound(queue);
       target != targets.end() && target->first.starts_with(queue); ++target) {
    const std::string& name = target->first;
    if (!IsWithin(name, queue)) continue;
    has_target = true;
    late += CountLateJobs(state, name, now);
    const auto record = state.queues.waits.find(name);
    if (record == state.queues.waits.end()) continue;
    total += record->second.total;
    last_day += StartsOf(record->second, now, kWaitHoursKept);
  }
  if (!has_target) return;
  v1::QueueWaits* waits = message->mutable_waits();
  waits->set_target_ms(state.queues.WaitTargetOf(queue).ToMilliseconds());
  waits->set_late_jobs(late);
  waits->set_started(total.started);
  waits->set_in_target(total.in_target);
  waits->set_started_24h(last_day.started);
  waits->set_in_target_24h(last_day.in_target);
}

}  // namespace

void QueueView(const State& state, const Queue& queue, Instant now, v1::Queue* message) {
  message->set_name(queue.name);
  message->set_pool(queue.pool);
  message->set_weight(queue.weight);
  message->set_guaranteed(queue.guaranteed);
  message->set_reclaimable(queue.reclaimable);
  QuotaView(queue.limit, message->mutable_limit());
  QuotaView(queue.user_limit, message->mutable_user_limit());
  message->set_default_time_ms(queue.default_time.ToMilliseconds());
  message->set_max_time_ms(queue.max_time.ToMilliseconds());
  message->set_min_gpus(queue.min_gpus);
  message->set_wait_target_ms(queue.wait_target.ToMilliseconds());
  message->set_network(static_cast<v1::NetworkAccess>(queue.network));
  WaitsView(state, queue.name, now, message);
  for (auto account = state.queues.accounts.lower_bound({queue.name, ""});
       account != state.queues.accounts.end() && account->first.queue == queue.name; ++account) {
    const std::string& user = account->first.user;
    UseView(AccountAt(state, account->first, now),
            user.empty() ? message->mutable_use() : &(*message->mutable_users())[user]);
  }
  message->mutable_use();  // present even if nothing was ever held
  int64_t queued = 0;
  for (const auto& [equivalence_class, jobs] : state.jobs.equivalence_classes)
    queued += IsWithin(equivalence_class.queue, queue.name) ? static_cast<int64_t>(jobs.size()) : 0;
  message->set_jobs_queued(queued);
  ShareView(state, queue, now, message);
}

void QueuesView(const State& state, Instant now, v1::ListQueuesReply* message) {
  for (const auto& [name, queue] : state.queues.all)
    QueueView(state, queue, now, message->add_queues());
  std::map<std::string, v1::Pool> pools;
  for (const Node& node : state.nodes.all) {
    v1::Pool& pool = pools[node.pool];
    pool.set_nodes(pool.nodes() + 1);
    pool.set_gpus(pool.gpus() + int64_t{node.facts->CountGpus()});
  }
  for (const auto& [name, queue] : state.queues.all) {
    const auto pool = pools.find(queue.pool);
    // A queue above counts it, or its pool is unknown
    if (name.contains('/') || pool == pools.end()) continue;
    pool->second.set_gpus_held(pool->second.gpus_held() +
                               static_cast<double>(HeldNow(state, {name, ""}).share) / kWholeShare);
  }
  for (auto& [name, pool] : pools) {
    pool.set_name(name);
    *message->add_pools() = pool;
  }
}

Result<SetQueue> FromProto(const v1::SetQueueRequest& message) {
  SetQueue set;
  set.name = message.name();
  if (message.has_pool()) set.pool = message.pool();
  if (message.has_weight()) set.weight = message.weight();
  if (message.has_guaranteed()) set.guaranteed = message.guaranteed();
  if (message.has_reclaimable()) set.reclaimable = message.reclaimable();
  set.limit = FromProto(message.limit());
  set.user_limit = FromProto(message.user_limit());
  if (message.has_default_time_ms()) set.default_time = FromMilliseconds(message.default_time_ms());
  if (message.has_max_time_ms()) set.max_time = FromMilliseconds(message.max_time_ms());
  if (message.has_min_gpus()) set.min_gpus = message.min_gpus();
  if (message.has_wait_target_ms()) set.wait_target = FromMilliseconds(message.wait_target_ms());
  if (message.has_network())
    set.network = GP_TRY(EnumFrom(message.network(), NetworkAccess::kNone, "network"));
  return set;
}

}  // namespace gp
