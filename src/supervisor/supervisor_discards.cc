// Surplus checkpoints are removed: docs/checkpoints.md.

#include <algorithm>

#include "base/paths.h"
#include "supervisor/files/remove_below.h"
#include "supervisor/supervisor.h"

namespace gp {

// Each request lists all surplus checkpoints.  Paths that were removed before are not removed
// again, because the job may have written them since.
void Supervisor::OnDiscard(const DiscardRequest& request) {
  const auto is_among = [](const std::vector<std::string>& paths, const std::string& path) {
    return std::ranges::find(paths, path) != paths.end();
  };
  std::erase_if(removed_, [&](const std::string& path) { return !is_among(request.paths, path); });
  discards_ = request;
  std::erase_if(discards_.paths, [&](const std::string& path) { return is_among(removed_, path); });
  DiscardNext();
}

// Runs as the job's user and with its mounts, in a process of its own, because a file server may
// block it for ever.
void Supervisor::DiscardNext() {
  if (discards_.paths.empty() || state_ != State::kRunning || children_.Has(ChildRole::kDiscard))
    return;
  ChildPlan plan = JobPlan();
  plan.cgroups = nullptr;  // its memory and CPU time do not count as the job's
  plan.pid_namespace = -1;
  plan.working_directory = "/";
  plan.input = plan.output = plan.errors = null_.get();
  plan.work = [request = discards_] {
    RemoveBelow(request.directory, request.paths);
    return 0;
  };
  // The next request tries again
  if (const Status started = children_.Start(ChildRole::kDiscard, plan, std::nullopt);
      !started.has_value())
    return;
  removed_.insert(removed_.end(), discards_.paths.begin(), discards_.paths.end());
  discards_.paths.clear();
}

// The job has written to this path again.  A request that is under way may still list it, so it
// counts as removed.
void Supervisor::SpareFromDiscards(const std::string& written) {
  for (const std::string& path : discards_.paths) {
    if (PathsOverlap(path, written)) removed_.push_back(path);
  }
  std::erase_if(discards_.paths,
                [&](const std::string& path) { return PathsOverlap(path, written); });
}

// At the job's end the removal is not completed; only its process must end.
void Supervisor::EndDiscards() {
  discards_.paths.clear();
  children_.Kill(ChildRole::kDiscard);
}

}  // namespace gp
