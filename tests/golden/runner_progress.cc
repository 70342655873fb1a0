// What jobs say of themselves.

#include "tests/golden/table_runner.h"

namespace gp {

// "exit j1 1 clue=gpu-memory", "clue=communication", "clue=rule": its output matches its rule.
void TableRunner::AddClues(const Line& line, LogClues& clues) {
  const std::string clue = line.Option("clue", "");
  clues.gpu_memory = clue == "gpu-memory";
  clues.communication = clue == "communication";
  if (clue == "rule") clues.rules = {0};
}

// "hang j1": it has not reported progress for too long. "checkpoint j1 STEP [incomplete]", told by its first rank.
std::string TableRunner::ReportProgress(const Line& line) {
  const Job& job = *cluster_.state().FindJob(jobs_.at(line.words[0]));
  const Lease& lease = *cluster_.state().FindLease(job.leases.front());
  LeaseObservation& seen = seen_[lease.id];
  seen.lease = lease.id;
  if (line.verb == "hang") {
    seen.is_hung = true;
  } else {
    Checkpoint checkpoint;
    checkpoint.number = static_cast<int64_t>(seen.checkpoints.size()) + 1;
    checkpoint.step = std::stoi(line.words[1]);
    checkpoint.path = "/ckpt/" + line.words[1];
    checkpoint.is_complete = line.words.size() < 3;
    checkpoint.at = cluster_.now();
    seen.checkpoints.push_back(checkpoint);
  }
  return ReportFrom(lease.node);
}

}  // namespace gp
