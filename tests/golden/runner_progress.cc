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

// "metric=RULE" of an exit: the same in its last report.
void TableRunner::MeetMetricRule(int rule, LeaseObservation& seen) {
  seen.metric_rule = rule;
  seen.metric_value = "loss is nan at step 7";
}

// "hang j1": it has not reported progress for too long. "checkpoint j1 STEP [incomplete]", told by
// its first rank; "metric j1 RULE": it has met this rule of on_metric; "resolved j1 a": so does its
// image's tag, which names the digest aaa….
std::string TableRunner::ReportProgress(const Line& line) {
  const Job& job = *cluster_.state().FindJob(jobs_.at(line.words[0]));
  const Lease& lease = *cluster_.state().FindLease(job.leases.front());
  LeaseObservation& seen = seen_[lease.id];
  seen.lease = lease.id;
  if (line.verb == "hang") {
    seen.is_hung = true;
  } else if (line.verb == "metric") {
    MeetMetricRule(std::stoi(line.words[1]), seen);
  } else if (line.verb == "resolved") {
    seen.image_digest = "sha256:" + std::string(64, line.words[1].front());
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

// "use j1 SECONDS BUSY [n1] [restarted]": for SECONDS more its nodes (or this one) saw its GPUs,
// busy for BUSY per cent; `restarted`: their agents count from zero.
std::string TableRunner::ReportUse(const Line& line) {
  const Job& job = *cluster_.state().FindJob(jobs_.at(line.words[0]));
  const int64_t span_ms = std::stoll(line.words[1]) * 1000;
  std::vector<NodeId> nodes;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *cluster_.state().FindLease(id);
    const std::string& name = cluster_.state().FindNode(lease.node)->facts->name;
    if (line.words.size() > 3 && line.words[3] != "restarted" && line.words[3] != name) continue;
    LeaseObservation& seen = seen_[id];
    seen.lease = id;
    if (seen.use.since.ns == 0 || line.words.back() == "restarted") {
      seen.use = {};
      seen.use.since = cluster_.now();
    }
    seen.use.gpus.resize(lease.gpus.size());
    for (size_t i = 0; i < lease.gpus.size(); ++i) {
      seen.use.gpus[i].gpu = lease.gpus[i].gpu;
      seen.use.gpus[i].seen_ms += span_ms;
      seen.use.gpus[i].busy_ms += span_ms * std::stoll(line.words[2]) / 100;
    }
    nodes.push_back(lease.node);
  }
  return ReportFromAll(nodes);
}

}  // namespace gp
