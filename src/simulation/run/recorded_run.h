#pragma once

// The external input of a recorded run, and its outcome.

#include <map>
#include <vector>

#include "domain/cluster/codec/codec.h"
#include "simulation/run/run_figures.h"
#include "simulation/run/run_steps.h"
#include "simulation/run/watch.h"

namespace gp {

struct RecordedRun {
  RunSteps steps;
  std::vector<JobLife> lives;  // as recorded
  Usage usage;
  Instant ends_at;
  // Jobs that still ran or were pending: their length is the time that they had run.
  int64_t unfinished = 0;
  int64_t faults = 0;  // lost nodes and attempts; a replay does not repeat them
};

// Builds a run from the records of a journal, which must begin with the first one.
class RunRecorder {
 public:
  explicit RunRecorder(RunWatch watch = {}) : watch_(std::move(watch)) {}

  void Add(const Record& record);
  RecordedRun Take();

 private:
  void AddStep(const Record& record);
  void NoteEvent(Instant at, const Event& event);
  void NoteSubmit(Instant at, const JobSubmitted& event);
  void Measure(const Job& job, Instant now);

  RunWatch watch_;
  State state_;
  RecordedRun run_;
  HoldMeter usage_;
  std::map<JobId, size_t> steps_;  // of the jobs and arrays
  std::map<JobId, size_t> lives_;
};

}  // namespace gp
