#include "adapters/outbound/notify/notifier.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

// Clocks are stepped, and a commit takes its time: what is told twice is known by its id.
constexpr Duration kOverlap = Duration::Seconds(2);

// Of events that HappenedSince finds again, whose they are; nullptr: it does not find this one.
const std::string* Subject(const EventLine& line) {
  const char* const name = line.event == "job_ended" ? "job" : line.event == "incident_opened" ? "incident" : "";
  const auto field = std::ranges::find(line.fields, name, [](const auto& one) { return one.first; });
  return field == line.fields.end() ? nullptr : std::get_if<std::string>(&field->second);
}

}  // namespace

Result<std::unique_ptr<Notifier>> Notifier::Start(const NotifyConfig& config, const std::string& directory, const NotifySay& say, Clock& clock) {
  std::unique_ptr<Notifier> notifier(new Notifier(clock));
  for (const NotifyRule& rule : config.rules) {
    notifier->couriers_.push_back(GP_TRY(Courier::Start(config, rule, directory + "/" + rule.name, say, clock)));
  }
  return notifier;
}

std::string Notifier::IdOf(const State& state, const EventLine& line, Instant at) {
  const std::string* subject = Subject(line);
  if (subject != nullptr) return ToBase32(state.lineage) + "." + line.event + "." + *subject;
  return ToBase32(static_cast<uint64_t>(at.ns)) + "." + std::to_string(++told_);
}

void Notifier::CatchUp(const State& state) {
  for (const auto& courier : couriers_) {
    for (const auto& [at, event] : HappenedSince(state, courier->told_until() - kOverlap)) {
      for (const EventLine& line : LinesOf(state, {event})) {
        if (IsWanted(courier->rule(), line)) courier->Tell({IdOf(state, line, at), at, line}, true);
      }
    }
  }
}

void Notifier::OnCommit(const State& state, const std::vector<Event>& events) {
  const std::vector<EventLine> lines = LinesOf(state, events);
  const Instant at = clock_.Now();
  for (const EventLine& line : lines) {
    const bool is_wanted = std::ranges::any_of(couriers_, [&](const auto& courier) { return IsWanted(courier->rule(), line); });
    if (!is_wanted) continue;
    const Notification notification{IdOf(state, line, at), at, line};
    for (const auto& courier : couriers_) {
      if (IsWanted(courier->rule(), line)) courier->Tell(notification, Subject(line) != nullptr);
    }
  }
}

}  // namespace gp
