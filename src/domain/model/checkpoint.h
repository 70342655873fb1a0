#pragma once

// What a job has written to go on from: docs/checkpoints.md.

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace gp {

// Signals by their numbers on Linux.
inline constexpr int kSignalMax = 31;
inline constexpr int kSignalKill = 9;
inline constexpr int kSignalStop = 19;

// Which score is the best of a job's checkpoints.
enum class BestScore { kNone, kMin, kMax };

// How a job writes checkpoints, and is asked for them.
struct CheckpointRequest {
  std::string directory;  // GP_CHECKPOINT_DIR; empty: none
  int signal = 0;         // asks for one; 0: none does, and SIGTERM says that the job is to end
  Duration every;         // so often the signal is sent; 0: only when the job is to stop
  // The newest of those that are complete; the others are removed; 0: all stay
  int keep = 0;
  BestScore best = BestScore::kNone;  // is kept too
  bool operator==(const CheckpointRequest&) const = default;
};

struct Checkpoint {
  int attempt = 0;
  int rank = 0;        // who reported it
  int64_t number = 0;  // of the report, by its rank and attempt, from 1
  int64_t step = 0;
  std::string path;
  int64_t bytes = 0;         // as the job said; 0: it did not
  Duration took;             // to write it; 0: the job did not say
  bool is_complete = false;  // all of it was found
  std::string fault;         // what was not; empty: nothing
  Instant at;                // when it was reported
  bool is_scored = false;
  int64_t score = 0;  // billionths; as the job said
  bool operator==(const Checkpoint&) const = default;
};

inline constexpr size_t kCheckpointPathMax = 1024;
inline constexpr int kCheckpointsKeptMax = 15;  // `keep`
// Remembered of one job: those that are kept, the best one, and the one from which an attempt
// begins.
inline constexpr size_t kCheckpointsMax = kCheckpointsKeptMax + 2;

// One that is not needed any more, and is to be removed where the rank runs.
struct SurplusCheckpoint {
  int rank = 0;
  std::string path;
  bool operator==(const SurplusCheckpoint&) const = default;
};
inline constexpr size_t kSurplusMax = 32;  // of one job; the newest

// Where the next attempt goes on; null: from the beginning.
const Checkpoint* NewestComplete(const std::vector<Checkpoint>& checkpoints);
// Where all ranks of this attempt go on, whatever some of them have written before others begin.
const Checkpoint* NewestBefore(int attempt, const std::vector<Checkpoint>& checkpoints);

// Remembers one more, in place of what it was written over, and which of the others are surplus
// from now on. `is_beginning`: ranks of the attempt have still to begin; where they are to go on
// stays.
void AddCheckpoint(const CheckpointRequest& request, Checkpoint added, bool is_beginning,
                   std::vector<Checkpoint>& checkpoints, std::vector<SurplusCheckpoint>& surplus);

// The interval at which the least time is lost, to writing and to repeating what faults took:
// sqrt(2 · cost · time between faults), after Young (1974).  `nodes` fail independently, each once
// in `node_mtbf`. REQUIRES: all above 0.
Duration BestInterval(Duration cost, int nodes, Duration node_mtbf);

}  // namespace gp
