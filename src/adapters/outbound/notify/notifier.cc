#include "adapters/outbound/notify/notifier.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "adapters/outbound/notify/deliver.h"

namespace gp {
namespace {

constexpr Duration kFoundAgainFor = Duration::Minutes(24 * 60);  // older events are not sent

// A stable id: finding the same event again gives the same id.
std::string FoundId(const State& state, const EventLine& line) {
  const std::string subject = line.event == "job_ended" ? "job" : "incident";
  const auto field =
      std::ranges::find(line.fields, subject, [](const auto& one) { return one.first; });
  return ToBase32(state.lineage) + "." + line.event + "." +
         (field == line.fields.end() ? "" : std::get<std::string>(field->second));
}

// Warns of directories of receivers that the configuration no longer names.
void WarnOfLeftovers(const NotifyConfig& config, const std::string& directory,
                     const NotifySay& say) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    const bool is_known = std::ranges::any_of(
        config.receivers, [&](const Receiver& receiver) { return receiver.name == name; });
    if (!is_known)
      say(LogLevel::kWarning, "notify: there is no receiver \"" + Printable(name) +
                                  "\" any more; what waits for it is in " + directory);
  }
}

bool Hears(const State& state, const Receiver& receiver, const EventLine& line) {
  return IsWanted(receiver, line) || IsAskedFor(state, receiver, line);
}

const Receiver* Named(const NotifyConfig& config, const std::string& name) {
  const auto found = std::ranges::find(config.receivers, name, &Receiver::name);
  return found == config.receivers.end() ? nullptr : &*found;
}

// What the new configuration changes for a receiver of the old one; empty: nothing.
std::string ChangeOf(const Receiver& now, const NotifyConfig& from, const NotifyConfig& to) {
  const Receiver* then = Named(to, now.name);
  if (then == nullptr) return "gone";
  const bool mails_differ = to.sendmail != from.sendmail || to.mail_from != from.mail_from;
  const bool is_same = *then == now && !(mails_differ && now.way == NotifyWay::kMail);
  return is_same ? "" : "changed";
}

void ListNew(const NotifyConfig& from, const NotifyConfig& to, std::vector<std::string>& changes) {
  for (const Receiver& receiver : to.receivers) {
    if (Named(from, receiver.name) == nullptr)
      changes.push_back("receiver " + receiver.name + ": new");
  }
}

}  // namespace

Result<std::unique_ptr<Notifier>> Notifier::Start(NotifyConfig config, std::string directory,
                                                  NotifySay say, Clock& clock,
                                                  LedgerTime ledger_now, JobReportSource reports) {
  std::unique_ptr<Notifier> notifier(new Notifier(std::move(config), std::move(directory),
                                                  std::move(say), clock, std::move(ledger_now),
                                                  std::move(reports)));
  for (const Receiver& receiver : notifier->config_.receivers)
    GP_CHECK_OK(notifier->Begin(notifier->config_, receiver));
  WarnOfLeftovers(notifier->config_, notifier->directory_, notifier->say_);
  return notifier;
}

// Stops all senders at once, because each may have to wait for its current delivery.
Notifier::~Notifier() { EndAll(desks_); }

void Notifier::EndAll(const std::vector<Desk>& desks) {
  for (const Desk& desk : desks) {
    desk.sender->End();
    if (desk.metrics != nullptr) desk.metrics->End();
  }
}

Status Notifier::Begin(const NotifyConfig& config, const Receiver& receiver) {
  const std::string place = directory_ + "/" + receiver.name;
  std::shared_ptr<NotificationSender> sender =
      GP_TRY(NotificationSender::Start(config, receiver, place, say_, clock_, ledger_now_));
  Desk desk{std::move(sender)};
  if (reports_.store != nullptr && receiver.on.contains(std::string(kJobMetrics)))
    desk.metrics = std::make_shared<MetricTeller>(config, receiver, reports_, say_, clock_);
  const std::lock_guard lock(mutex_);
  desks_.push_back(std::move(desk));
  return Ok();
}

bool Notifier::HasDeskOf(const Receiver& receiver) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      desks_, [&](const Desk& desk) { return desk.sender->receiver().name == receiver.name; });
}

std::vector<std::string> Notifier::Reload(NotifyConfig config) {
  std::vector<std::string> changes;
  const std::vector<Desk> ending = TakeConfig(config, changes);
  EndAll(ending);
  // The writer's thread does not wait for it; two senders never share a directory
  for (const Desk& desk : ending) {
    desk.sender->Join();
    if (desk.metrics != nullptr) desk.metrics->Join();
  }
  BeginMissing(config, changes);
  return changes;
}

std::vector<Notifier::Desk> Notifier::TakeConfig(const NotifyConfig& config,
                                                 std::vector<std::string>& changes) {
  const std::lock_guard lock(mutex_);
  const auto gone = std::ranges::stable_partition(desks_, [&](const Desk& desk) {
    const Receiver& receiver = desk.sender->receiver();
    const std::string change = ChangeOf(receiver, config_, config);
    if (!change.empty()) changes.push_back("receiver " + receiver.name + ": " + change);
    return change.empty();
  });
  std::vector<Desk> ending;
  std::ranges::move(gone, std::back_inserter(ending));
  desks_.erase(gone.begin(), gone.end());
  ListNew(config_, config, changes);
  config_ = config;
  return ending;
}

void Notifier::BeginMissing(const NotifyConfig& config, std::vector<std::string>& changes) {
  for (const Receiver& receiver : config.receivers) {
    if (HasDeskOf(receiver)) continue;
    if (const Status begun = Begin(config, receiver); !begun)
      changes.push_back("receiver " + receiver.name + " could not start: " + begun.error().message);
    if (const std::string problem = ProblemOf(receiver); !problem.empty())
      changes.push_back("receiver " + receiver.name + ": warning: " + problem);
  }
}

// The backlogs are read without the mutex: a sender may be using its files, and the writer's thread
// must not wait.
std::vector<std::pair<Receiver, NotificationSender::Backlog>> Notifier::Backlogs() const {
  std::vector<std::pair<Receiver, std::shared_ptr<NotificationSender>>> asked;
  {
    const std::lock_guard lock(mutex_);
    for (const Receiver& receiver : config_.receivers) {
      const auto desk = std::ranges::find(
          desks_, receiver.name, [](const Desk& one) { return one.sender->receiver().name; });
      asked.emplace_back(receiver, desk == desks_.end() ? nullptr : desk->sender);
    }
  }
  std::vector<std::pair<Receiver, NotificationSender::Backlog>> all;
  for (const auto& [receiver, sender] : asked)
    all.emplace_back(receiver, sender == nullptr ? NotificationSender::Backlog{0, "could not start"}
                                                 : sender->backlog());
  return all;
}

std::vector<std::string> Notifier::NamedByJobs() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Receiver& receiver : config_.receivers) {
    if (receiver.jobs_may_name) names.push_back(receiver.name);
  }
  return names;
}

void Notifier::CatchUp(const State& state) {
  const std::lock_guard lock(mutex_);
  CatchUpAll(state);
}

void Notifier::CatchUpAll(const State& state) {
  std::vector<NotificationSender*> behind;
  for (Desk& desk : desks_) {
    if (!std::exchange(desk.has_caught_up, true)) behind.push_back(desk.sender.get());
  }
  if (behind.empty()) return;
  const Instant oldest = std::ranges::min(behind, {}, [](const NotificationSender* one) {
                           return one->queued_until();
                         })->queued_until();
  const Instant since = std::max(oldest, ledger_now_() - kFoundAgainFor);
  for (const auto& [at, event] : HappenedSince(state, since)) {
    for (const EventLine& line : LinesOf(state, {event})) {
      for (NotificationSender* sender : behind) {
        if (at >= sender->queued_until() && Hears(state, sender->receiver(), line))
          sender->Tell({FoundId(state, line), WallOf(state.time, at), line}, at);
      }
    }
  }
}

void Notifier::OnCommit(const State& state, const CommittedRecords& committed) {
  const std::vector<Event>& events = committed.events;
  const std::lock_guard lock(mutex_);
  CatchUpAll(state);                          // older events come first
  std::vector<std::optional<Instant>> found;  // one for each event that has a line
  for (const Event& event : events) {
    if (std::holds_alternative<JobEnded>(event) || std::holds_alternative<IncidentOpened>(event))
      found.push_back(WhenHappened(state, event));
    const auto* ended = std::get_if<JobEnded>(&event);
    for (const Desk& desk : desks_) {
      if (ended != nullptr && desk.metrics != nullptr) desk.metrics->NoteEnd(ended->job);
    }
  }
  const Instant now = clock_.Now();
  size_t next_found = 0;
  for (const EventLine& line : LinesOf(state, events)) {
    const bool is_found = line.event == "job_ended" || line.event == "incident_opened";
    const std::optional<Instant> found_at = is_found ? found[next_found++] : std::nullopt;
    std::optional<Notification> notification;
    for (const Desk& desk : desks_) {
      if (!Hears(state, desk.sender->receiver(), line)) continue;
      if (!notification)
        notification = {found_at ? FoundId(state, line) : NextId(now),
                        found_at ? WallOf(state.time, *found_at) : now, line};
      desk.sender->Tell(*notification, found_at);
    }
  }
}

}  // namespace gp
