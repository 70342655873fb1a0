#pragma once

// The checkpoints from which a job can resume: docs/checkpoints.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/time.h"

namespace gp {

// Signal numbers of Linux.
inline constexpr int kSignalMax = 31;
inline constexpr int kSignalKill = 9;
inline constexpr int kSignalStop = 19;

// Which score of a job's checkpoints is the best.
enum class BestScore { kNone, kMin, kMax };

// How a job writes checkpoints, and how the platform requests them.
struct CheckpointRequest {
  std::string directory;  // GP_CHECKPOINT_DIR; empty: none
  int signal = 0;  // requests a checkpoint; 0: none does, and SIGTERM means that the job must end
  Duration every;  // interval of the signal; 0: only when the job must stop
  // Number of newest complete checkpoints to keep; the others are removed; 0: keep all
  int keep = 0;
  BestScore best = BestScore::kNone;  // the best one is kept too
  // URL below which each complete checkpoint is copied; it counts once it is copied, and an attempt
  // whose node does not have it resumes from the copy.  Empty: none is copied.
  std::string copy_to;
  std::string credentials;  // secret of copy_to; empty: none
  bool operator==(const CheckpointRequest&) const = default;
};
GP_FIELDS(CheckpointRequest, v.directory, v.signal, v.every, v.keep, v.best, Since<20>(v.copy_to),
          Since<20>(v.credentials))

struct Checkpoint {
  int attempt = 0;
  int rank = 0;        // that reported it
  int64_t number = 0;  // of the report, by rank and attempt, from 1
  int64_t step = 0;
  std::string path;
  int64_t bytes = 0;         // as the job reported; 0: not reported
  Duration took;             // time to write it; 0: not reported
  bool is_complete = false;  // all of it was found
  std::string fault;         // what was not found; empty: nothing
  Instant at;                // time of the report
  bool is_scored = false;
  int64_t score = 0;  // in billionths, as the job reported
  bool operator==(const Checkpoint&) const = default;
};
GP_FIELDS(Checkpoint, v.attempt, v.rank, v.number, v.step, v.path, v.bytes, v.took, v.is_complete,
          v.fault, v.at, v.is_scored, v.score)

inline constexpr size_t kCheckpointPathMax = 1024;
inline constexpr int kCheckpointsKeptMax = 15;  // the largest `keep`
// Remembered for one job: the kept ones, the best one, and the one from which an attempt starts.
inline constexpr size_t kCheckpointsMax = kCheckpointsKeptMax + 2;

// A checkpoint that is no longer needed; the node of the rank removes it.
struct SurplusCheckpoint {
  int rank = 0;
  std::string path;
  bool operator==(const SurplusCheckpoint&) const = default;
};
GP_FIELDS(SurplusCheckpoint, v.rank, v.path)
inline constexpr size_t kSurplusMax = 32;  // of one job; the newest

// Where the next attempt resumes; null: it starts from the beginning.
const Checkpoint* NewestComplete(const std::vector<Checkpoint>& checkpoints);
// Where all ranks of this attempt resume, even if some have written checkpoints before others
// start.
const Checkpoint* NewestBefore(int attempt, const std::vector<Checkpoint>& checkpoints);

// Adds a checkpoint, in place of one with the same path, and adds to `surplus` those that are no
// longer needed. `is_beginning`: some ranks of the attempt have not started; the checkpoint from
// which they resume is kept.
void AddCheckpoint(const CheckpointRequest& request, Checkpoint added, bool is_beginning,
                   std::vector<Checkpoint>& checkpoints, std::vector<SurplusCheckpoint>& surplus);

// The name of the checkpoint's copy below copy_to and the job's id; no two of a job have the same.
std::string CopyName(const Checkpoint& checkpoint);
// Whether it is the name of a copy that is none of those that stay, and is older than one of them
// of its rank.
bool IsReplacedCopy(std::string_view name, const std::vector<std::string>& staying);

// The interval with the least lost time, for writing checkpoints and for repeating work after
// faults: sqrt(2 · cost · time between faults), after Young (1974). `nodes` fail independently,
// each once in `node_mtbf`. REQUIRES: all above 0.
Duration BestInterval(Duration cost, int nodes, Duration node_mtbf);

}  // namespace gp
