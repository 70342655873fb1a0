#pragma once

// Arrays: jobs of one spec that differ by an index, named job-5[0], job-5[1] … An array has its own
// number; its elements have the numbers after it. Each element is a job like any other.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "domain/model/jobs/job.h"

namespace gp {

// Counts of the elements, including those that are forgotten.
struct Array {
  int count = 0;
  int known = 0;      // not forgotten
  int started = 0;    // at least once
  int unstarted = 0;  // ended without a start
  int ended = 0;
  int completed = 0;
  int failed = 0;  // includes those that reached their time limit
  bool operator==(const Array&) const = default;
};
GP_FIELDS(Array, v.count, v.known, v.started, v.unstarted, v.ended, v.completed, v.failed)

// How many jobs a spec submits, and which: the job itself, or the elements.
int CountJobs(const JobSpec& spec);
std::vector<JobId> JobsOf(JobId submitted, const JobSpec& spec);

// The number of the next submitted job or array.
JobId Behind(JobId submitted, const JobSpec& spec);

JobId ElementId(JobId array, int index);
// REQUIRES: the job is an element of the array.
int IndexIn(JobId array, JobId element);
// What the user submitted: the array, or the job itself.
JobId SubmittedAs(const Job& job);
// The job's array if it limits how many elements run at once; otherwise 0.
JobId LimitingArray(const Job& job);

// "job-5[3]" for an element, otherwise "job-5".
std::string NameOf(const Job& job);
// The same for a job that may be an element of `array`; 0: it is not an element.
std::string ElementName(JobId array, JobId job);

// How users name jobs: job-5 (a job, or a whole array), job-5[3], job-5[2-7], job-5[*].
struct JobName {
  struct Elements {
    int first = 0;
    int last = kArrayMax - 1;
    bool operator==(const Elements&) const = default;
  };
  JobId job;
  std::optional<Elements> elements;
  bool operator==(const JobName&) const = default;
};
// kInvalidArgument: the message lists the valid forms.
Result<JobName> ParseJobName(std::string_view text);
// A job, an array or one element, as the number of the job in the ledger. kInvalidArgument: several
// elements.
Result<JobId> ParseOneJob(std::string_view text);

}  // namespace gp
