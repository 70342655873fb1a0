#include "domain/explaining/forecast.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/ignore_result.h"
#include "domain/explaining/names.h"

namespace gp {
namespace {

// The results of all plays.
struct Plays {
  std::vector<std::pair<Instant, Future::Outcome>> starts;  // kNever: not placed
  std::set<const AlikeRuns*> consulted;
  std::vector<JobId> endless;
  bool by_limits = false;
};

void PlayOnce(const Present& present, const Planner& planner, const Lengths& lengths, Instant at,
              JobId job, int64_t& budget, Plays& plays) {
  Future future(present.state, planner, at, lengths, static_cast<int>(plays.starts.size()));
  const Future::Outcome outcome = future.PlayUntilPlaced(job, at + kForecastHorizon, budget);
  plays.starts.push_back({outcome == Future::Outcome::kPlaced ? future.now() : kNever, outcome});
  plays.consulted.insert(future.consulted().begin(), future.consulted().end());
  plays.by_limits |= future.used_limits();
  if (outcome == Future::Outcome::kUnknown && plays.endless.empty())
    plays.endless = future.endless();
}

size_t CountRuns(const std::set<const AlikeRuns*>& groups) {
  std::set<size_t> runs;
  for (const AlikeRuns* group : groups) {
    for (const auto& [length, run] : group->runs) runs.insert(run);
  }
  return runs.size();
}

// Without finished jobs all plays are the same, so one is enough.
Plays PlayAll(const Present& present, const Lengths& lengths, Instant at, JobId job,
              int64_t steps) {
  Planner planner;
  IgnoreResult(planner.Schedule(present.state, at), "the plays start with known nodes");
  Plays plays;
  int64_t budget = steps;
  for (int play = 0; play < kSlices; ++play) {
    PlayOnce(present, planner, lengths, at, job, budget, plays);
    if (plays.consulted.empty()) break;
    if (budget > 0) continue;
    // An incomplete play is dropped if enough others were complete.
    if (play >= kPlaysMin) {
      plays.starts.pop_back();
    } else {
      plays.starts = {{kNever, Future::Outcome::kTooManySteps}};
    }
    break;
  }
  std::ranges::sort(plays.starts);
  return plays;
}

std::string TellSource(const Forecast& forecast) {
  const std::string past = std::to_string(forecast.alike) + " finished job" +
                           (forecast.alike == 1 ? "" : "s") + " like those that run";
  if (forecast.alike == 0) return forecast.by_limits ? ", if jobs run to their time limits" : "";
  return ", from " + std::string(forecast.by_limits ? "time limits and " : "") + past;
}

std::string TellStart(const TimeLine& time, const Forecast& forecast) {
  const std::string median = ToRfc3339(WallOf(time, *forecast.median));
  if (forecast.earliest == forecast.latest)
    return "expected to start at " + median + TellSource(forecast);
  const std::string from = ToRfc3339(WallOf(time, *forecast.earliest));
  if (forecast.latest)
    return "expected to start between " + from + " and " +
           ToRfc3339(WallOf(time, *forecast.latest)) + " (median " + median + ")" +
           TellSource(forecast);
  return "expected to start at " + from + " or later (median " + median + "; latest not known)" +
         TellSource(forecast);
}

// Jobs whose end would be known with more finished jobs come first.
std::string TellEndless(const State& state, const std::vector<JobId>& endless) {
  std::vector<JobId> without_history;
  std::ranges::copy_if(endless, std::back_inserter(without_history),
                       [&](JobId id) { return !IsOnLostNode(state, *state.FindJob(id)); });
  if (without_history.empty())
    return Names(endless) +
           (endless.size() == 1 ? " is on a node that is lost" : " are on nodes that are lost");
  return Names(without_history) +
         (without_history.size() == 1
              ? " has no time limit and nothing like it has finished yet"
              : " have no time limits and nothing like them has finished yet");
}

std::string TellWhyNot(const State& state, const Forecast& forecast) {
  switch (forecast.outcome) {
    case Future::Outcome::kUnknown: return "no forecast: " + TellEndless(state, forecast.endless);
    case Future::Outcome::kTooFar:
      return "not expected to start within " + ToText(kForecastHorizon);
    case Future::Outcome::kTooManySteps: return "no forecast: too much would happen before it";
    default:
      return "not expected to start as things are, even after all running jobs have completed";
  }
}

}  // namespace

Forecast ForecastStart(const Present& present, const Lengths& lengths, Instant at, JobId job,
                       int64_t steps) {
  const Plays plays = PlayAll(present, lengths, at, job, steps);
  const size_t count = plays.starts.size();
  const auto sample = [&](size_t i) {
    return plays.starts[i].first == kNever ? std::nullopt : std::optional(plays.starts[i].first);
  };
  Forecast forecast;
  forecast.plays = static_cast<int>(count);
  forecast.outcome = plays.starts[count / 2].second;
  forecast.earliest = sample(0);
  forecast.median = sample(count / 2);
  forecast.latest = sample(count - 1);
  forecast.alike = CountRuns(plays.consulted);
  forecast.by_limits = plays.by_limits;
  forecast.endless = plays.endless;
  forecast.text = forecast.median ? TellStart(present.state.time, forecast)
                                  : TellWhyNot(present.state, forecast);
  return forecast;
}

}  // namespace gp
