#include "cmd/jobs/job_change.h"

#include <algorithm>

#include "base/text.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

std::string StopWordsOfOne(const v1::Job& job, bool force) {
  // For an array, the one element that was left
  const std::string& id = job.id();
  if (IsOver(job)) return id + " " + job.detail() + " (" + job.reason() + ")";
  return id + (force ? " is being killed" : " is being stopped: SIGTERM, then its grace") +
         " (gpu-platform jobs wait " + id + ")";
}

std::string StopWords(const std::string& name, const v1::ListJobsReply& changed, bool force) {
  if (changed.jobs_size() == 1) return StopWordsOfOne(changed.jobs(0), force);
  const bool are_over = std::ranges::all_of(changed.jobs(), IsOver);
  return name + ": " + Count(changed.jobs_size(), "job") +
         (are_over ? " cancelled"
          : force  ? " are being killed"
                   : " are being stopped");
}

std::string StateWords(const std::string& name, const v1::ListJobsReply& changed) {
  const v1::Job& first = changed.jobs(0);
  return (changed.jobs_size() == 1 ? first.id() + " "
                                   : name + ": " + Count(changed.jobs_size(), "job") + " ") +
         first.detail();
}

}  // namespace

v1::ChangeJobsRequest ChangeOf(JobAction action, const std::string& name) {
  v1::ChangeJobsRequest request;
  request.set_name(name);
  request.set_action(action);
  return request;
}

bool MayBecome(JobAction action, const v1::Job& job) {
  const bool is_held = job.detail() == "HELD";
  switch (action) {
    case v1::ChangeJobsRequest::HOLD:
      return !is_held && (job.state() == v1::QUEUED || job.state() == v1::PENDING ||
                          job.state() == v1::PREEMPTED);
    case v1::ChangeJobsRequest::RELEASE: return is_held;
    default: return !IsOver(job);
  }
}

std::string ChangeWords(JobAction action, const std::string& name,
                        const v1::ListJobsReply& changed) {
  if (changed.jobs_size() == 0) return name + ": none of them is in a state for that";
  const bool is_kill = action == v1::ChangeJobsRequest::KILL;
  return is_kill || action == v1::ChangeJobsRequest::STOP ? StopWords(name, changed, is_kill)
                                                          : StateWords(name, changed);
}

}  // namespace gp
