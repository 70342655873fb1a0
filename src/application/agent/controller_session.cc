#include "application/agent/controller_session.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

constexpr int kConnectionBits = 20;
// A heartbeat without an answer for this long: the controller may have stopped.
constexpr Duration kAnswerWithin = Duration::Milliseconds(1'500);
// Probes are answered at once.  A join takes its time where thousands of agents join together.
constexpr Duration kProbeWithin = Duration::Seconds(5);
constexpr Duration kJoinWithin = Duration::Seconds(15);
// Where reports are the only heartbeats, one or two may be lost.
constexpr int64_t kReportsPerLease = 5;
constexpr Duration kProbeWaitMin = Duration::Milliseconds(50);
constexpr Duration kProbeWaitMax = Duration::Seconds(2);
// The owner turns more often than this, unless its process was stopped.
constexpr Duration kTurnsWithin = Duration::Seconds(1);

}  // namespace

ControllerSession::ControllerSession(ControlLink& link, Clock& clock, SessionParts parts,
                                     uint64_t incarnation, ControllerEpoch followed)
    : link_(link),
      clock_(clock),
      parts_(std::move(parts)),
      incarnation_(incarnation),
      followed_(followed),
      probe_wait_(kProbeWaitMin) {}

SessionNews ControllerSession::Turn() {
  ForgiveOwnSleep(clock_.BootNs());
  link_.ClearEvent();
  SessionNews news;
  const bool was_connected = is_connected();
  const uint64_t joins = joins_;
  if (current_ != nullptr) HearCurrent(news);
  HearCandidates();
  LookElsewhere();
  news.is_lost = was_connected && !is_connected();
  // Nothing of a connection that was left is carried out: the next join does not describe it.
  if (current_ == nullptr || joins_ != joins) {
    news.is_new = false;
    news.link.desired.reset();
  }
  if (joins_ != joins) news.link.foreign_to = 0;
  return news;
}

void ControllerSession::Pause() {
  is_paused_ = true;
  current_.reset();
  candidates_.clear();
}

void ControllerSession::Resume() {
  is_paused_ = false;
  probe_at_ns_ = 0;
}

Status ControllerSession::Follow(const ControllerEpoch& other) {
  GP_CHECK_OK(parts_.keep_followed(other));
  followed_ = other;
  return Ok();
}

void ControllerSession::Leave(const std::string& why) {
  NoteTrouble(current_ == nullptr ? 0 : current_->address, why);
  current_.reset();
  EndLookingElsewhere();
  ProbeLater();
}

void ControllerSession::Settle() {
  probe_wait_ = kProbeWaitMin;
  troubles_.clear();
}

void ControllerSession::SendHeartbeat(const Heartbeat& heartbeat) {
  Send(heartbeat);
  current_->waits_since_ns = current_->sent_at_ns.at(current_->last_sent);
  current_->heartbeat_at_ns = current_->waits_since_ns + current_->heartbeat_every.ns;
}

bool ControllerSession::IsHeartbeatDue() const {
  return is_connected() && current_->heartbeat_every.ns > 0 && current_->waits_since_ns == 0 &&
         clock_.BootNs() >= current_->heartbeat_at_ns;
}

Duration ControllerSession::report_every() const {
  const bool beats = is_connected() && current_->heartbeat_every.ns > 0;
  return beats ? lease_time_ : Duration{lease_time_.ns / kReportsPerLease};
}

int64_t ControllerSession::NextAtNs() const {
  if (current_ == nullptr) return is_paused_ ? INT64_MAX : probe_at_ns_;
  if (!IsSilent(*current_, kAnswerWithin)) {
    if (current_->waits_since_ns != 0) return current_->waits_since_ns + kAnswerWithin.ns;
    return current_->heartbeat_every.ns > 0 ? current_->heartbeat_at_ns : INT64_MAX;
  }
  const int64_t patience_ns = current_->is_joined ? lease_time_.ns / 2 : kJoinWithin.ns;
  return std::min(probe_at_ns_, current_->waits_since_ns + patience_ns);
}

// Answers may have come while this process did not run: nobody was silent then.
void ControllerSession::ForgiveOwnSleep(int64_t now_ns) {
  const int64_t before_ns = std::exchange(turned_at_ns_, now_ns);
  const int64_t late_ns = now_ns - before_ns - kTurnsWithin.ns;
  if (before_ns == 0 || late_ns <= 0) return;
  if (current_ != nullptr && current_->waits_since_ns != 0) current_->waits_since_ns += late_ns;
  for (const auto& line : candidates_) line->waits_since_ns += late_ns;
}

void ControllerSession::HearCurrent(SessionNews& news) {
  LinkNews link = current_->connection->TakeNews();
  if (const Status may = FollowSpeaker(link); !may) return Leave(may.error().message);
  const bool was_joined = current_->is_joined;
  TakeAnswers(link);
  news.is_new = current_->is_joined && !was_joined;
  news.link = std::move(link);
  if (news.link.broken) Leave(news.link.why);
}

// The first one that answers, and is another controller than the one that is silent or the same one
// on a better path, is joined.
void ControllerSession::HearCandidates() {
  for (size_t i = 0; i < candidates_.size();) {
    std::unique_ptr<Line>& line = candidates_[i];
    const LinkNews link = line->connection->TakeNews();
    if (link.probed) line->probed = link.probed;
    const bool is_better = line->probed && IsBetter(*line->probed);
    const bool is_last_resort = line->address == avoided_ && candidates_.size() > 1;
    if (is_better && !is_last_resort && !link.broken) return Join(std::move(line));
    const Status may = line->probed ? CheckEpoch(*line->probed) : Ok();
    const bool is_late = IsSilent(*line, kProbeWithin);
    if ((!line->probed || is_better) && !link.broken && !is_late) {
      ++i;
      continue;
    }
    if (current_ == nullptr)
      NoteTrouble(line->address, !may          ? may.error().message
                                 : link.broken ? link.why
                                               : "the controller does not answer");
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(i));
    ProbeLater();
  }
}

// Epoch fencing: nothing of a controller that was replaced renews a lease or starts a job.
Status ControllerSession::CheckEpoch(const ControllerEpoch& other) const {
  if (other.lineage != followed_.lineage || other.epoch >= followed_.epoch) return Ok();
  return Fail(Conflict("the controller is of epoch " + std::to_string(other.epoch) +
                       ", but this node has followed epoch " + std::to_string(followed_.epoch) +
                       " of the same journal: it was replaced, or its journal is an old copy "
                       "(then start it once with --keep-sound-prefix)"));
}

// A join that waits at a controller that answers probes is not given up for the same controller.
// While a controller is followed, one of another lineage means nothing.
bool ControllerSession::IsBetter(const ControllerEpoch& other) const {
  if (!CheckEpoch(other)) return false;
  if (current_ == nullptr) return true;
  if (other.lineage != followed_.lineage) return false;
  return current_->is_joined || other.epoch > followed_.epoch;
}

// Nothing is sent on the connection before any more: the join describes what is there now.
void ControllerSession::Join(std::unique_ptr<Line> line) {
  current_ = std::move(line);
  EndLookingElsewhere();
  JoinNode join = parts_.join();
  // New with every connection, so that a report still under way on the old one is stale.
  join.incarnation = (incarnation_ << kConnectionBits) + ++joins_;
  join.lineage = followed_.lineage;
  Send(join);
  current_->waits_since_ns = clock_.BootNs();
}

Status ControllerSession::FollowSpeaker(const LinkNews& news) {
  if (news.acknowledged == 0 && news.heartbeat == 0 && !news.desired) return Ok();
  const ControllerEpoch other{news.desired ? news.desired->lineage : followed_.lineage, news.epoch};
  if (other == followed_) return Ok();
  GP_CHECK_OK(CheckEpoch(other));
  return Follow(other);
}

void ControllerSession::TakeAnswers(const LinkNews& news) {
  Line& line = *current_;
  const auto renew = [&](uint64_t number) {
    const auto sent = line.sent_at_ns.find(number);
    if (sent != line.sent_at_ns.end())
      lease_until_ns_ = std::max(lease_until_ns_, sent->second + news.lease_time.ns);
  };
  if (news.heartbeat > 0) {
    if (!news.wants_report) renew(news.heartbeat);
    line.sent_at_ns.erase(news.heartbeat);
    line.waits_since_ns = 0;
    EndLookingElsewhere();
  }
  if (news.acknowledged == 0) return;
  lease_time_ = news.lease_time;
  line.heartbeat_every = news.heartbeat_every;
  if (!std::exchange(line.is_joined, true)) {
    lease_until_ns_ = 0;  // the controller may have another lease time than the one before
    avoided_ = kNoAddress;
    line.waits_since_ns = 0;
    line.heartbeat_at_ns = clock_.BootNs() + line.heartbeat_every.ns;
    EndLookingElsewhere();
  }
  renew(news.acknowledged);
  line.sent_at_ns.erase(line.sent_at_ns.begin(), line.sent_at_ns.upper_bound(news.acknowledged));
}

void ControllerSession::LookElsewhere() {
  if (is_paused_) return;
  if (current_ != nullptr) {
    if (!IsSilent(*current_, kAnswerWithin)) return;
    if (!std::exchange(is_looking_elsewhere_, true)) {
      probe_at_ns_ = 0;
      parts_.warn("the controller at " + link_.addresses()[current_->address] +
                  " does not answer: looking for one that does");
    }
    if (current_->is_joined) {
      if (IsSilent(*current_, {lease_time_.ns / 2})) current_.reset();
    } else if (IsSilent(*current_, kJoinWithin)) {
      avoided_ = current_->address;
      Leave("the controller does not answer the join");
    }
  }
  if (clock_.BootNs() >= probe_at_ns_) ProbeAll();
}

void ControllerSession::ProbeAll() {
  for (size_t address = 0; address < link_.addresses().size(); ++address) {
    const bool is_probed = std::ranges::any_of(
        candidates_, [address](const auto& line) { return line->address == address; });
    if (is_probed) continue;
    auto line = std::make_unique<Line>();
    line->address = address;
    line->last_sent = 1;
    line->waits_since_ns = clock_.BootNs();
    line->connection = link_.Connect(address);
    candidates_.push_back(std::move(line));
  }
  probe_at_ns_ = INT64_MAX;  // until one of them is over
}

void ControllerSession::EndLookingElsewhere() {
  candidates_.clear();
  is_looking_elsewhere_ = false;
  probe_at_ns_ = INT64_MAX;
}

void ControllerSession::ProbeLater() {
  if (probe_at_ns_ != INT64_MAX && probe_at_ns_ > clock_.BootNs()) return;
  probe_at_ns_ = clock_.BootNs() + probe_wait_.ns;
  probe_wait_ = std::min(probe_wait_ * 2, kProbeWaitMax);
}

void ControllerSession::NoteTrouble(size_t address, const std::string& why) {
  const std::vector<std::string>& names = link_.addresses();
  const std::string which = names.size() == 1 ? "" : " to " + names[address];
  if (why != troubles_[address]) parts_.warn("connection" + which + " lost: " + why);
  troubles_[address] = why;
}

bool ControllerSession::IsSilent(const Line& line, Duration patience) const {
  return line.waits_since_ns != 0 && clock_.BootNs() - line.waits_since_ns > patience.ns;
}

}  // namespace gp
