#include "cmd/jobs/narrate_job.h"

#include "base/text.h"
#include "cmd/connection/controller_line.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kSilence{2'000};
constexpr std::chrono::milliseconds kWhileQueued{1'000};
constexpr std::chrono::milliseconds kWhileRunning{5'000};  // it may be preempted, and wait again
constexpr int kNodesShown = 4;

Result<v1::Job> AskForJob(const std::string& server, const std::string& id) {
  v1::GetJobRequest request;
  request.set_job_id(id);
  return GP_TRY(OpenController(server))->Call<v1::Job>("GetJob", request);
}

// A job also waits while it is held, before its start time, after a failure or between two
// attempts.
bool Waits(const v1::Job& job) {
  return job.state() == v1::PENDING || job.state() == v1::QUEUED || job.state() == v1::PREEMPTED;
}

// "n1, n2; warning: crosses sockets"
std::string PlaceText(const v1::Attempt& attempt) {
  const auto& ranks = attempt.ranks();
  std::string text;
  for (int i = 0; i < std::min(ranks.size(), kNodesShown); ++i)
    text += (i == 0 ? "" : ", ") + ranks[i].node();
  if (ranks.size() > kNodesShown)
    text += " and " + std::to_string(ranks.size() - kNodesShown) + " more";
  return text + (attempt.warning().empty() ? "" : "; warning: " + attempt.warning());
}

}  // namespace

JobNarrator::JobNarrator(const Cli& cli, std::string job) : cli_(cli), job_(std::move(job)) {
  if (!cli.quiet) thread_ = std::thread([this] { Narrate(); });
}

JobNarrator::~JobNarrator() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void JobNarrator::Narrate() {
  std::string said;
  int attempt_shown = 0;  // printed, or nothing to print about it
  for (auto pause = kSilence; !Wait(pause);) {
    const auto job = AskForJob(cli_.server, job_);
    if (!job) continue;  // following the output reports this
    if (IsOver(*job)) return;
    const bool waits = Waits(*job);
    pause = waits ? kWhileQueued : kWhileRunning;
    if (waits && !job->reason().empty() && job->reason() != said) {
      said = job->reason();
      cli_.Say(job_ + " waits: " + Printable(said, 1'000));
    }
    if (job->detail() != "RUNNING" || job->attempts().empty()) continue;
    const v1::Attempt& attempt = job->attempts(job->attempts_size() - 1);
    const bool is_warned = !attempt.warning().empty() && attempt.number() != attempt_shown;
    if (!said.empty() || is_warned) cli_.Say(job_ + " started on " + PlaceText(attempt));
    attempt_shown = attempt.number();
    said.clear();
  }
}

bool JobNarrator::Wait(std::chrono::milliseconds pause) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, pause, [this] { return has_ended_; });
}

}  // namespace gp
