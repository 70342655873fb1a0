#include "domain/model/jobs/array.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace gp {
namespace {

std::optional<int> ParseIndex(std::string_view text) {
  const auto index = ParseCount(text);
  if (!index || *index >= kArrayMax) return std::nullopt;
  return static_cast<int>(*index);
}

// "3", "2-7" or "*"
std::optional<JobName::Elements> ParseElements(std::string_view text) {
  if (text == "*") return JobName::Elements{};
  const size_t dash = text.find('-');
  const auto first = ParseIndex(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : ParseIndex(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return JobName::Elements{*first, *last};
}

}  // namespace

int CountJobs(const JobSpec& spec) { return std::max(spec.policy.array.count, 1); }

std::vector<JobId> JobsOf(JobId submitted, const JobSpec& spec) {
  if (spec.policy.array.count == 0) return {submitted};
  std::vector<JobId> elements;
  for (int index = 0; index < spec.policy.array.count; ++index)
    elements.push_back(ElementId(submitted, index));
  return elements;
}

JobId Behind(JobId submitted, const JobSpec& spec) {
  return ElementId(submitted, spec.policy.array.count);
}

JobId ElementId(JobId array, int index) { return {array.value + 1 + static_cast<uint64_t>(index)}; }

int IndexIn(JobId array, JobId element) {
  GP_ASSERT(array.value != 0 && element > array, "only elements of arrays have an index");
  return static_cast<int>(element.value - array.value - 1);
}

JobId SubmittedAs(const Job& job) { return job.array.value == 0 ? job.id : job.array; }

JobId LimitingArray(const Job& job) {
  return job.spec->policy.array.max_parallel == 0 ? JobId{} : job.array;
}

std::string NameOf(const Job& job) { return ElementName(job.array, job.id); }

std::string ElementName(JobId array, JobId job) {
  return array.value == 0 ? ToText(job)
                          : ToText(array) + "[" + std::to_string(IndexIn(array, job)) + "]";
}

Result<JobName> ParseJobName(std::string_view text) {
  const size_t bracket = text.find('[');
  JobName name{GP_TRY(ParseJobId(text.substr(0, bracket))), std::nullopt};
  if (bracket == std::string_view::npos) return name;
  if (text.ends_with(']'))
    name.elements = ParseElements(text.substr(bracket + 1, text.size() - bracket - 2));
  if (name.elements) return name;
  return Fail(InvalidArgument(
      "\"" + Printable(text, 60) +
      "\" names no elements of an array: write job-17[3], job-17[2-7] or job-17[*]"));
}

Result<JobId> ParseOneJob(std::string_view text) {
  const JobName name = GP_TRY(ParseJobName(text));
  if (!name.elements) return name.job;
  if (name.elements->first == name.elements->last) return ElementId(name.job, name.elements->first);
  return Fail(InvalidArgument("\"" + Printable(text, 60) +
                              "\" means several elements: name one, as " + ToText(name.job) +
                              "[0]"));
}

}  // namespace gp
