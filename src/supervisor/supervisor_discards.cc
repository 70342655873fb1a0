// Checkpoints that are not needed any more are removed: docs/checkpoints.md.

#include <algorithm>

#include "supervisor/remove_below.h"
#include "supervisor/supervisor.h"

namespace gp {
namespace {

constexpr int64_t kDiscardNs = 600'000'000'000;  // for all of one request: a file server may be slow with many files

}  // namespace

// The agent tells all of them each time.  What was removed once may have been written again since.
void Supervisor::OnDiscard(const DiscardRequest& request) {
  std::vector<std::string> fresh;
  for (const std::string& path : request.paths) {
    const bool is_done = std::ranges::find(discarded_, path) != discarded_.end();
    if (!is_done) fresh.push_back(path);
  }
  discarded_ = request.paths;
  discards_.directory = request.directory;
  discards_.paths.insert(discards_.paths.end(), fresh.begin(), fresh.end());
  DiscardNext();
}

// As the job's user and with its mounts, in a process of its own.
void Supervisor::DiscardNext() {
  if (discards_.paths.empty() || state_ != State::kRunning || children_.Has(Role::kDiscard)) return;
  ChildPlan plan = JobPlan();
  plan.cgroups = nullptr;  // what it frees and reads is not the job's doing
  plan.working_directory = "/";
  plan.input = plan.output = plan.errors = null_.get();
  plan.work = [request = discards_] {
    for (const std::string& path : request.paths) RemoveBelow(request.directory, path);
    return 0;
  };
  discards_.paths.clear();
  if (const Status started = children_.Start(Role::kDiscard, plan, std::nullopt); started.has_value()) discard_deadline_ = BootNs() + kDiscardNs;
}

void Supervisor::OnDiscarded() {
  discard_deadline_ = kNever;
  DiscardNext();
}

// Nobody waits for what is only tidied up.
void Supervisor::EndDiscards() {
  discards_.paths.clear();
  discard_deadline_ = kNever;
  children_.Kill(Role::kDiscard);
}

}  // namespace gp
