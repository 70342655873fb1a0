#pragma once

// Changes of jobs that exist, for the commands and for `watch`: the request, the jobs whose state
// allows it, and the message about its answer.  Pure functions.

#include <string>

#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

using JobAction = v1::ChangeJobsRequest::Action;

// `name`: a job by id or name, or elements of an array.
v1::ChangeJobsRequest ChangeOf(JobAction action, const std::string& name);
// Whether the job's state allows the action, as far as the caller knows it.
bool MayBecome(JobAction action, const v1::Job& job);
// The message about the jobs that the name selected: "job-3 HELD", or of several how many.
std::string ChangeWords(JobAction action, const std::string& name,
                        const v1::ListJobsReply& changed);

}  // namespace gp
