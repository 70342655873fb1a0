#pragma once

// The course of a run over time, for charts.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/run/gpu_levels.h"
#include "simulation/run/level_series.h"
#include "simulation/run/watch.h"

namespace gp {

struct NodeSeries {
  std::string name;
  int64_t gpus = 0;
  std::vector<double> held;  // GPUs
  std::vector<double> serving;
};

// Each list has one mean per span, starting at `begin`.
struct RunSeries {
  Instant begin;
  Instant end;
  Duration span;
  std::vector<double> installed;
  std::vector<double> serving;
  std::vector<double> held;
  std::vector<double> waiting;  // jobs
  std::vector<NodeSeries> nodes;
};

// Records the series of a run while it is played.
class SeriesMeter {
 public:
  // The state has been like this since the last call, until `now`; the first call begins the
  // series.
  void Observe(const State& state, Instant now);
  // The series up to `end`; later observations are left out.
  RunSeries Take(Instant end);
  // REQUIRES: the meter outlives it.
  RunWatch Watch() {
    return [this](const State& state, Instant until) { Observe(state, until); };
  }

 private:
  struct NodeLevel {
    NodeLevel(std::string node, Instant begin)
        : name(std::move(node)), held(begin), serving(begin) {}

    std::string name;
    GpuLevel level;
    LevelSeries held;
    LevelSeries serving;
  };
  struct Totals {
    explicit Totals(Instant begin)
        : installed(begin), serving(begin), held(begin), waiting(begin) {}

    LevelSeries installed;
    LevelSeries serving;
    LevelSeries held;
    LevelSeries waiting;
  };

  void Extend(NodeLevel& node) const;

  Instant begin_;
  Instant last_;
  GpuLevels levels_;
  std::optional<Totals> totals_;  // from the first call on
  std::vector<NodeLevel> nodes_;  // by id
};

}  // namespace gp
