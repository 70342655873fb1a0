#include "experiments/agents/agents_experiment.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/percentile.h"
#include "experiments/agents/played_agent.h"

namespace gp {
namespace {

using Clock = std::chrono::steady_clock;
using Agents = std::vector<std::unique_ptr<PlayedAgent>>;

constexpr std::chrono::seconds kJoinMax{120};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Agents Join(const AgentsOptions& options, AgentsResult& result) {
  const Clock::time_point start = Clock::now();
  Agents agents;
  for (int i = 0; i < options.agents; ++i) {
    agents.push_back(std::make_unique<PlayedAgent>(
        PlayedNode{"played-" + std::to_string(i), static_cast<uint64_t>(i), options.gpus_per_node},
        options.address, options.join_token));
  }
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    result.joined = static_cast<int>(
        std::ranges::count_if(agents, [](const auto& one) { return one->has_joined(); }));
  } while (result.joined < options.agents && Clock::now() - start < kJoinMax);
  result.joined_s = SecondsSince(start);
  return agents;
}

// Each sends at its own part of the period.
void Beat(const AgentsOptions& options, Agents& agents, AgentsResult& result) {
  const Duration period = agents.front()->heartbeat_every();
  result.heartbeat_every_ms = period.ToMilliseconds();
  const auto gap = std::chrono::nanoseconds(period.ns / options.agents);
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(options.lasts.ns);
  Clock::time_point due = Clock::now();
  for (size_t next = 0; due < end; next = (next + 1) % agents.size(), due += gap) {
    std::this_thread::sleep_until(due);
    agents[next]->Beat();
  }
}

}  // namespace

AgentsResult RunAgents(const AgentsOptions& options) {
  AgentsResult result;
  Agents agents = Join(options, result);
  Beat(options, agents, result);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // for the last answers
  std::vector<double> answers;
  for (const auto& agent : agents) {
    const PlayedTimes times = agent->TakeTimes();
    result.messages += times.messages;
    answers.insert(answers.end(), times.answer_ms.begin(), times.answer_ms.end());
    if (!times.ended.empty()) ++result.ended[times.ended];
  }
  result.answers = answers.size();
  result.answer_p50_ms = Percentile(answers, 50);
  result.answer_p99_ms = Percentile(answers, 99);
  result.answer_max_ms = Percentile(answers, 100);
  return result;
}

}  // namespace gp
