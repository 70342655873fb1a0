#include "tests/simulation/forecast/lived_cluster.h"

#include <algorithm>

#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

constexpr int kGpusPerNode = 8;
// Of the GPU time that there is: somebody waits most of the time
constexpr int64_t kLoadPercent = 95;

}  // namespace

LivedCluster::LivedCluster(uint64_t seed) : rng_(seed) {
  engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
  const int nodes = rng_.Between(1, 4);
  for (int i = 0; i < nodes; ++i) engine_.AddNode(PlainNode(i, kGpusPerNode));
  const int habits = rng_.Between(4, 9);
  for (int i = 0; i < habits; ++i) habits_.push_back(DrawHabit(i));
  for (Habit& habit : habits_) {
    // All together ask for kLoadPercent of the GPUs, each for as much.
    const int64_t gpus = int64_t{habit.spec.resources.gpus.count} * habit.spec.resources.nodes;
    habit.every = {habit.median.ns * gpus * habits / (int64_t{nodes} * kGpusPerNode) * 100 /
                   kLoadPercent};
    habit.next = engine_.now() +
                 Duration::Seconds(rng_.Between(0, static_cast<int>(habit.every.ToSeconds())));
  }
}

LivedCluster::Habit LivedCluster::DrawHabit(int number) {
  Habit habit;
  habit.user = "user-" + std::to_string(number % 4);
  habit.spec.name = "work-" + std::to_string(number);
  habit.spec.program.command = {"train"};
  habit.spec.resources.gpus.count = 1 << rng_.Between(0, 3);
  habit.spec.resources.nodes = engine_.state().nodes.all.size() > 1 && rng_.Chance(1, 5) ? 2 : 1;
  habit.spec.resources.cpus = 1;
  habit.spec.resources.memory_bytes = int64_t{1} << 30;
  habit.median = Duration::Minutes(int64_t{5} << rng_.Between(0, 5));
  if (rng_.Chance(1, 2)) habit.spec.policy.time_limit = habit.median * rng_.Between(2, 8);
  return habit;
}

// Half of them between 0.7 and 1.4 times the median, few beyond a quarter or four times.
Duration LivedCluster::DrawLength(const Habit& habit) {
  int64_t ns = habit.median.ns;
  for (int i = 0; i < 8; ++i) ns = rng_.Chance(1, 2) ? ns * 5 / 4 : ns * 4 / 5;
  ns = ns / 100 * rng_.Between(90, 110);
  const int64_t limit = habit.spec.policy.time_limit.ns;
  return {limit == 0 ? ns : std::min(ns, limit)};
}

std::optional<Instant> LivedCluster::StartOf(JobId id) const {
  const Job& job = *engine_.state().FindJob(id);
  return job.attempts.empty() ? std::nullopt : std::optional(job.attempts.front().placed_at);
}

Instant LivedCluster::NextInstant(bool arrivals) const {
  Instant next = ends_.empty() ? kNever : ends_.begin()->first;
  for (const Habit& habit : habits_) next = arrivals ? std::min(next, habit.next) : next;
  return look_again_at_.ns == 0 ? next : std::min(next, look_again_at_);
}

void LivedCluster::Step(Instant next, bool arrivals) {
  engine_.AdvanceTo(next);
  FinishDue();
  if (arrivals) SubmitDue();
  Pass();
}

void LivedCluster::RunUntil(Instant end, bool arrivals) {
  for (Instant next = NextInstant(arrivals); next <= end; next = NextInstant(arrivals))
    Step(next, arrivals);
  engine_.AdvanceTo(end);
}

void LivedCluster::RunUntilStarted(const std::vector<JobId>& jobs, bool arrivals) {
  const auto all_started = [&] {
    return std::ranges::all_of(jobs, [this](JobId job) { return StartOf(job).has_value(); });
  };
  for (Instant next = NextInstant(arrivals); next != kNever && !all_started();
       next = NextInstant(arrivals))
    Step(next, arrivals);
}

void LivedCluster::SubmitDue() {
  for (Habit& habit : habits_) {
    while (habit.next <= engine_.now()) {
      const JobId job =
          engine_.Submit(std::make_shared<const JobSpec>(habit.spec), {habit.user, 1000, 1000})
              .value();
      lengths_[job] = DrawLength(habit);
      // Bursts and pauses: between none and twice the mean.
      habit.next =
          habit.next +
          Duration::Seconds(1 + static_cast<int64_t>(rng_.Below(
                                    2 * static_cast<uint64_t>(habit.every.ToSeconds()) + 1)));
    }
  }
}

void LivedCluster::FinishDue() {
  while (!ends_.empty() && ends_.begin()->first <= engine_.now()) {
    const JobId job = ends_.begin()->second;
    ends_.erase(ends_.begin());
    engine_.Finish(job);
  }
}

void LivedCluster::Pass() {
  const Plan plan = engine_.Pass();
  look_again_at_ = plan.look_again_at;
  for (const PlaceGang& placed : plan.Placements()) {
    engine_.Start(placed.job);
    ends_.insert({engine_.now() + lengths_.at(placed.job), placed.job});
  }
}

}  // namespace gp
