#include "adapters/outbound/notify/notifier.h"

#include <algorithm>
#include <filesystem>

namespace gp {
namespace {

constexpr Duration kFoundAgainFor = Duration::Minutes(24 * 60);  // what is older is no news

// The same whenever the same is found again.
std::string FoundId(const State& state, const EventLine& line) {
  const std::string subject = line.event == "job_ended" ? "job" : "incident";
  const auto field = std::ranges::find(line.fields, subject, [](const auto& one) { return one.first; });
  return ToBase32(state.lineage) + "." + line.event + "." + (field == line.fields.end() ? "" : std::get<std::string>(field->second));
}

// Directories of receivers that the file does not name any more.
void WarnOfLeftovers(const NotifyConfig& config, const std::string& directory, const NotifySay& say) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const bool is_known = std::ranges::any_of(config.receivers, [&](const Receiver& receiver) { return receiver.name == name; });
    if (!is_known) say(LogLevel::kWarning, "notify: there is no receiver \"" + Printable(name) + "\" any more; what waits for it is in " + directory);
  }
}

}  // namespace

Result<std::unique_ptr<Notifier>> Notifier::Start(const NotifyConfig& config, const std::string& directory, const NotifySay& say, Clock& clock) {
  std::unique_ptr<Notifier> notifier(new Notifier(clock));
  for (const Receiver& receiver : config.receivers) {
    notifier->couriers_.push_back(GP_TRY(Courier::Start(config, receiver, directory + "/" + receiver.name, say, clock)));
  }
  WarnOfLeftovers(config, directory, say);
  return notifier;
}

// All at once: each may have to wait for what it runs.
Notifier::~Notifier() {
  for (const auto& courier : couriers_) courier->End();
}

std::vector<std::pair<const Receiver*, Courier::Standing>> Notifier::Standings() const {
  std::vector<std::pair<const Receiver*, Courier::Standing>> all;
  for (const auto& courier : couriers_) all.emplace_back(&courier->receiver(), courier->standing());
  return all;
}

void Notifier::CatchUp(const State& state) {
  if (std::exchange(has_caught_up_, true) || couriers_.empty()) return;
  Instant oldest = couriers_[0]->told_until();
  for (const auto& courier : couriers_) oldest = std::min(oldest, courier->told_until());
  for (const auto& [at, event] : HappenedSince(state, std::max(oldest, clock_.Now() - kFoundAgainFor))) {
    for (const EventLine& line : LinesOf(state, {event})) {
      for (const auto& courier : couriers_) {
        if (at >= courier->told_until() && IsWanted(courier->receiver(), line)) courier->Tell({FoundId(state, line), at, line}, at);
      }
    }
  }
}

void Notifier::OnCommit(const State& state, const std::vector<Event>& events) {
  CatchUp(state);  // what is older comes first
  std::vector<std::optional<Instant>> found;  // by event that has a line of its own
  for (const Event& event : events) {
    if (std::holds_alternative<JobEnded>(event) || std::holds_alternative<IncidentOpened>(event)) found.push_back(WhenHappened(state, event));
  }
  const Instant now = clock_.Now();
  size_t next_found = 0;
  for (const EventLine& line : LinesOf(state, events)) {
    const bool is_found = line.event == "job_ended" || line.event == "incident_opened";
    const std::optional<Instant> found_at = is_found ? found[next_found++] : std::nullopt;
    const bool is_wanted = std::ranges::any_of(couriers_, [&](const auto& courier) { return IsWanted(courier->receiver(), line); });
    if (!is_wanted) continue;
    const Notification notification{found_at ? FoundId(state, line) : NextId(now), found_at.value_or(now), line};
    for (const auto& courier : couriers_) {
      if (IsWanted(courier->receiver(), line)) courier->Tell(notification, found_at);
    }
  }
}

}  // namespace gp
