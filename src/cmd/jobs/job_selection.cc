#include "cmd/jobs/job_selection.h"

#include "base/text.h"
#include "cmd/text/moment.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr const char* kHeldState = "HELD";
constexpr const char* kStatesOffered =
    "{PENDING,QUEUED,HELD,RUNNING,PREEMPTED,COMPLETED,FAILED,CANCELLED}";

// Slurm's short and other schedulers' words, in any case.
std::string StateNamed(const std::string& text) {
  static const std::map<std::string, std::string> kStateNames = {
      {"PD", "QUEUED"},    {"R", "RUNNING"},   {"CD", "COMPLETED"},       {"F", "FAILED"},
      {"CA", "CANCELLED"}, {"S", "PREEMPTED"}, {"CANCELED", "CANCELLED"}, {"WAITING", "QUEUED"}};
  std::string word = text;
  for (char& c : word) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  const auto known = kStateNames.find(word);
  return known == kStateNames.end() ? word : known->second;
}

Status AddStates(const std::vector<std::string>& texts, v1::ListJobsRequest& request) {
  for (const std::string& text : texts) {
    const std::string name = StateNamed(text);
    v1::JobState state{};
    if (name == kHeldState) {
      request.set_held(true);
    } else if (v1::JobState_Parse(name, &state)) {
      request.add_states(state);
    } else {
      return Fail(InvalidArgument("--state: \"" + Printable(text, 40) +
                                  "\" is none of PENDING QUEUED HELD RUNNING PREEMPTED COMPLETED "
                                  "FAILED CANCELLED"));
    }
  }
  if (request.held() && request.states_size() > 0)
    return Fail(InvalidArgument("--state: HELD goes with no other state"));
  return Ok();
}

}  // namespace

Result<Instant> SinceOf(const std::string& text) {
  const Instant now = SystemClock().Now();
  if (const auto ago = ParseDuration(text); ago && ago->ns >= 0) return now - *ago;
  const auto at = ParseMoment(text, now);
  if (at) return *at;
  return Fail(InvalidArgument("--since: \"" + Printable(text, 40) +
                              "\" is neither a duration, as 2h, nor a time, as 2026-12-01T10:00"));
}

bool JobSelection::empty() const {
  return !mine && user.empty() && names.empty() && queues.empty() && projects.empty() &&
         labels.empty() && states.empty() && since.empty();
}

void AddSelectionFlags(CLI::App& sub, JobSelection& selection) {
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* help,
                       const char* type) {
    sub.add_option(name, values, help)->delimiter(',')->allow_extra_args(false)->type_name(type);
  };
  CLI::Option* mine = sub.add_flag("--me", selection.mine, "Only your jobs");
  sub.add_option("--user", selection.user, "Only jobs of this user")
      ->type_name("USER")
      ->excludes(mine);
  add("--name", selection.names, "Only jobs with these names", "NAME,...");
  add("--queue", selection.queues, "Only jobs of these queues and those below them", "QUEUE,...");
  add("--project", selection.projects, "Only jobs of these projects", "PROJECT,...");
  add("--state", selection.states, "Only jobs in these states", kStatesOffered);
  add("--label", selection.labels, "Only jobs with all of these labels", "NAME[=VALUE],...");
}

void AddSinceFlag(CLI::App& sub, JobSelection& selection) {
  sub.add_option("--since", selection.since,
                 "Only jobs that were not over before: 2h (ago), or 2026-12-01T10:00")
      ->type_name("TIME");
}

Result<v1::WhoAmIReply> AskSelf(Cli& cli) {
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::WhoAmIReply>("WhoAmI", v1::WhoAmIRequest());
}

Result<v1::ListJobsRequest> RequestOf(const JobSelection& selection, Cli& cli) {
  v1::ListJobsRequest request;
  GP_CHECK_OK(AddStates(selection.states, request));
  request.set_user(selection.user);
  const auto fill = [](const std::vector<std::string>& from, auto* to) {
    to->Assign(from.begin(), from.end());
  };
  fill(selection.names, request.mutable_job_names());
  fill(selection.queues, request.mutable_queues());
  fill(selection.projects, request.mutable_projects());
  fill(selection.labels, request.mutable_labels());
  if (!selection.since.empty()) {
    request.set_since_ms(GP_TRY(SinceOf(selection.since)).ns / 1'000'000);
    request.set_all(true);
  }
  if (selection.mine) request.set_user(GP_TRY(AskSelf(cli)).user());
  return request;
}

}  // namespace gp
