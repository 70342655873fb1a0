#include "adapters/inbound/api/job_lookup.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/model/ids.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/job.h"

namespace gp {
namespace {

constexpr size_t kShownMax = 5;  // of the jobs that an ambiguous name means

// Submissions, by the name of their jobs.
using Submissions = std::map<std::string, std::set<JobId>>;

bool IsNumber(std::string_view text) { return ParseCount(text).has_value(); }

// In the order in which they are asked for a name.
enum Tier : size_t { kOwnLive, kOwnOver, kOthersLive, kOthersOver, kTiers };

std::array<Submissions, kTiers> NamesBeginningWith(const State& state, const Caller& caller,
                                                   std::string_view begin) {
  std::array<Submissions, kTiers> found;
  JobRights rights(caller);
  for (const auto& [id, job] : state.jobs.all) {
    if (!job.spec->name.starts_with(begin) || !rights.May(JobAct::kSee, job)) continue;
    const bool is_over = IsTerminal(job.state);
    const Tier tier = caller.Owns(job.user) ? (is_over ? kOwnOver : kOwnLive)
                                            : (is_over ? kOthersOver : kOthersLive);
    found[tier][job.spec->name].insert(SubmittedAs(job));
  }
  return found;
}

Error MeansSeveral(std::string_view text, const Submissions& names) {
  std::vector<std::string> shown;
  size_t count = 0;
  for (const auto& [name, ids] : names) {
    count += ids.size();
    for (const JobId id : ids) {
      if (shown.size() < kShownMax) shown.push_back(ToText(id) + " (" + Printable(name, 40) + ")");
    }
  }
  return InvalidArgument("\"" + Printable(text, 60) + "\" means " + std::to_string(count) +
                         " jobs: " + Join(shown, ", ") + (count > shown.size() ? ", …" : "") +
                         "; give an id");
}

// The one submission that the names mean; nullopt: there are none.
Result<std::optional<JobId>> OneOf(std::string_view text, const Submissions& names, bool are_over) {
  if (names.empty()) return std::optional<JobId>();
  const std::set<JobId>& ids = names.begin()->second;
  if (names.size() > 1 || (ids.size() > 1 && !are_over)) return Fail(MeansSeveral(text, names));
  return std::optional(*ids.rbegin());
}

// A number is never a beginning: it is the id of a job that is gone.
Result<JobId> FindByName(const State& state, const Caller& caller, JobAct act,
                         std::string_view text) {
  const auto tiers = NamesBeginningWith(state, caller, text);
  for (const bool is_whole : {true, false}) {
    if (!is_whole && (act == JobAct::kChange || IsNumber(text))) break;
    for (size_t tier = 0; tier < kTiers; ++tier) {
      Submissions names = tiers[tier];
      if (is_whole) std::erase_if(names, [text](const auto& one) { return one.first != text; });
      const bool are_over = tier == kOwnOver || tier == kOthersOver;
      if (const auto id = GP_TRY(OneOf(text, names, are_over))) return *id;
    }
  }
  return Fail(NotFound("\"" + Printable(text, 60) +
                       "\" is no job: write its id, as job-17 or job-17[3], or its name "
                       "(gpu-platform jobs list)"));
}

// Of an array, whether its first element is.
bool IsVisible(const State& state, const Caller& caller, JobId id) {
  const std::vector<JobId> elements = ElementsOf(state, id);
  const Job* job = state.FindJob(elements.empty() ? id : elements.front());
  return job != nullptr && JobRights(caller).May(JobAct::kSee, *job);
}

}  // namespace

Result<std::string> JobNameFor(const State& state, const Caller& caller, JobAct act,
                               std::string_view text) {
  const size_t bracket = text.ends_with(']') ? text.rfind('[') : std::string_view::npos;
  const std::string_view base = text.substr(0, bracket);
  if (base.empty() || ParseJobId(base)) return std::string(text);
  const std::string elements(text.substr(base.size()));
  if (const auto number = ParseCount(base); number && *number > 0) {
    const JobId id{static_cast<uint64_t>(*number)};
    if (IsVisible(state, caller, id)) return ToText(id) + elements;
  }
  return ToText(GP_TRY(FindByName(state, caller, act, base))) + elements;
}

}  // namespace gp
