#include "adapters/wire/views/moves_view.h"

#include "domain/cluster/moves.h"
#include "domain/defragmenting/fragmentation.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

double InGpuHours(ShareTime time) {
  return static_cast<double>(time) / (kWholeShare * 3'600'000.0);
}

void FragmentationView(const std::string& name, const std::string& pool, const Fragmentation& found,
                       v1::Fragmentation* message) {
  message->set_name(name);
  message->set_pool(pool);
  message->set_gpus_free(found.free);
  if (found.is_known) message->set_gpus_stranded(static_cast<double>(found.stranded) / kWholeShare);
}

void MoveView(const State& state, const MoveJobs::Move& move, v1::Move* message) {
  const Job& job = *state.FindJob(move.job);
  message->set_job_id(NameOf(job));
  message->set_user(job.user.name);
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.FindLease(id);
    message->add_places(ToText(*state.FindNode(lease.node), MaskOf({lease.node, lease.gpus, {}})));
  }
  for (const RankTarget& target : move.destination)
    message->add_destination(ToText(*state.FindNode(target.node), target.gpus));
}

void PlanView(const State& state, const MovePlan& plan, v1::MovePlan* message) {
  message->set_job_id(ToText(plan.moves.by));
  message->set_user(state.FindJob(plan.moves.by)->user.name);
  message->set_placement(plan.places.front().note);
  for (const MoveJobs::Move& move : plan.moves.moves) MoveView(state, move, message->add_moves());
  message->set_gain_gpu_hours(InGpuHours(plan.gain));
  message->set_cost_gpu_hours(InGpuHours(plan.cost));
  message->set_wait_saved_seconds(static_cast<double>(plan.wait_saved.ToMilliseconds()) / 1'000.0);
  message->set_is_wait_known(plan.is_wait_known);
}

}  // namespace

void MovesView(const State& state, Instant now, const std::vector<MovePlan>& plans,
               v1::MovePlans* message) {
  NodeClasses classes;
  for (const Node& node : state.nodes.all) classes.Place(node);
  FragmentationMeter meter(state, classes);
  for (const auto& [pool, gpus] : state.nodes.capacity)
    FragmentationView(pool, pool, meter.OfPool(pool), message->add_pools());
  for (const auto& [name, queue] : state.queues.all) {
    const Fragmentation found = meter.OfQueue(name);
    if (found.is_known) FragmentationView(name, queue.pool, found, message->add_queues());
  }
  for (const MovePlan& plan : plans) PlanView(state, plan, message->add_plans());
  message->set_moves_left(MovesLeft(state, now));
}

}  // namespace gp
