#pragma once

// Arrays: jobs of one spec that differ by an index, called job-5[0], job-5[1] …  An array has a
// number of its own, and its elements have those behind it: each is a job like any other.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/model/job.h"

namespace gp {

// What has become of its elements, those that are forgotten too.
struct Array {
  int count = 0;
  int known = 0;      // not forgotten
  int started = 0;    // at least once
  int unstarted = 0;  // ended without that
  int ended = 0;
  int completed = 0;
  int failed = 0;  // also by their time limit
  bool operator==(const Array&) const = default;
};

// How many jobs are submitted with the spec, and which: the job alone, or the elements.
int CountJobs(const JobSpec& spec);
std::vector<JobId> JobsOf(JobId submitted, const JobSpec& spec);

// The number of what is submitted next.
JobId Behind(JobId submitted, const JobSpec& spec);

JobId ElementId(JobId array, int index);
// REQUIRES: the job is an element of the array.
int IndexIn(JobId array, JobId element);
// What was submitted: the array, or the job alone.
JobId SubmittedAs(const Job& job);
// The job's array where that limits how many of its elements run; otherwise 0.
JobId LimitingArray(const Job& job);

// "job-5[3]" of an element, otherwise "job-5".
std::string NameOf(const Job& job);
// The same of one that may be an element of `array`; 0: it is of none.
std::string ElementName(JobId array, JobId job);

// What may be written for jobs: job-5 (a job, or all of an array), job-5[3], job-5[2-7], job-5[*].
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
// kInvalidArgument says what may be written.
Result<JobName> ParseJobName(std::string_view text);
// A job, an array or one element, by the number that the ledger has for it.  kInvalidArgument:
// several elements.
Result<JobId> ParseOneJob(std::string_view text);

}  // namespace gp
