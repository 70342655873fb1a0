#include "application/agent/mps_daemon.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

constexpr Duration kAskAgain = Duration::Milliseconds(100);
constexpr Duration kQuitGrace = Duration::Seconds(2);

struct MpsAnswer {
  std::vector<int> servers;
  bool is_faulty = false;
};

// A line with a number is the pid of a server; a word alone is the state of the server in question.
MpsAnswer ReadAnswer(const std::string& text) {
  MpsAnswer answer;
  for (const std::string& line : Split(text, '\n')) {
    int pid = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), pid);
    if (error == std::errc{} && end == line.data() + line.size()) answer.servers.push_back(pid);
    if (line == "FAULT") answer.is_faulty = true;
  }
  return answer;
}

}  // namespace

MpsLimits MpsLimits::Larger(const MpsLimits& a, const MpsLimits& b) {
  return {std::max(a.percent, b.percent), std::max(a.memory_mib, b.memory_mib)};
}

MpsDaemon::MpsDaemon(AttemptRunner& runner, std::string key, uint32_t uid, std::string program,
                     int64_t now_ns)
    : runner_(runner),
      key_(std::move(key)),
      uid_(uid),
      program_(std::move(program)),
      began_ns_(now_ns) {}

void MpsDaemon::Want(std::optional<MpsLimits> limits) { wanted_ = limits; }

std::optional<int64_t> MpsDaemon::NextAt() const {
  if (phase_ == Phase::kGone) return std::nullopt;
  if (phase_ == Phase::kQuitting || phase_ == Phase::kEnding) return quit_ns_ + kMpsQuitMax.ns;
  return talk_ != nullptr ? talk_since_ns_ + kMpsAnswerMax.ns : next_ns_;
}

void MpsDaemon::End(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  if (phase_ == Phase::kGone) return;
  phase_ = Phase::kEnding;
  talk_.reset();
  runner_.Stop(key_, Duration{});
}

void MpsDaemon::Step(const AttemptStatus* status, int64_t now_ns) {
  if (phase_ == Phase::kGone) return;
  if (status == nullptr || status->phase == AttemptPhase::kExited) {
    const bool was_ended = phase_ == Phase::kQuitting || phase_ == Phase::kEnding;
    if (!was_ended)
      failure_ =
          "it died" + (status == nullptr || status->message.empty() ? "" : ": " + status->message);
    talk_.reset();
    phase_ = Phase::kGone;
    return;
  }
  const bool is_used = phase_ == Phase::kStarting || phase_ == Phase::kReady;
  if (is_used && !wanted_) Quit(now_ns);
  if (talk_ != nullptr) Hear(now_ns);
  if (phase_ == Phase::kQuitting || phase_ == Phase::kEnding) {
    // Repeated, because an agent that restarted in between may have lost the stop.
    if (now_ns < quit_ns_ + kMpsQuitMax.ns) return;
    quit_ns_ = now_ns;
    runner_.Stop(key_, Duration{});
    return;
  }
  if (phase_ == Phase::kStarting && now_ns - began_ns_ > kMpsStartMax.ns) {
    return End("it did not answer within " + ToText(kMpsStartMax));
  }
  if (IsFaulty() && now_ns - fault_since_ns_ > kMpsFaultMax.ns) {
    return End("its server has failed, and clients did not leave it within " +
               ToText(kMpsFaultMax));
  }
  const bool is_due =
      now_ns >= next_ns_ || (phase_ == Phase::kReady && (look_soon_ || !(*wanted_ == set_)));
  if (talk_ == nullptr && status->phase == AttemptPhase::kRunning && is_due) Ask(now_ns);
}

std::string MpsDaemon::Commands() const {
  const std::string percent = std::to_string(wanted_->percent);
  const std::string memory = std::to_string(wanted_->memory_mib) + "M";
  std::string text = "set_default_active_thread_percentage " + percent +
                     "\nset_default_device_pinned_mem_limit 0 " + memory + "\n";
  if (server_ == 0) {
    // Started before the first client, so that a missing server means from now on that it died.
    text += "start_server -uid " + std::to_string(uid_) + "\n";
  } else {
    const std::string server = std::to_string(server_);
    text += "set_active_thread_percentage " + server + " " + percent +
            "\nset_device_pinned_mem_limit " + server + " 0 " + memory + "\nget_server_status " +
            server + "\n";
  }
  return text + "get_server_list\n";
}

void MpsDaemon::Ask(int64_t now_ns) {
  look_soon_ = false;
  asked_ = *wanted_;
  auto talk = MpsConversation::Begin(runner_, key_, program_, Commands());
  if (!talk) return Miss(now_ns, talk.error().message);
  talk_ = *std::move(talk);
  talk_since_ns_ = now_ns;
}

void MpsDaemon::Hear(int64_t now_ns) {
  if (!talk_->Advance()) {
    if (phase_ != Phase::kQuitting && now_ns - talk_since_ns_ > kMpsAnswerMax.ns)
      End("it did not answer within " + ToText(kMpsAnswerMax));
    return;
  }
  const auto talk = std::exchange(talk_, nullptr);
  next_ns_ = now_ns + kMpsLookInterval.ns;
  if (phase_ == Phase::kQuitting) return;
  if (!talk->ok()) return Miss(now_ns, Printable(talk->answer(), 120));
  TakeAnswer(talk->answer());
}

void MpsDaemon::TakeAnswer(const std::string& text) {
  const MpsAnswer answer = ReadAnswer(text);
  const bool is_lost =
      server_ != 0 && std::ranges::find(answer.servers, server_) == answer.servers.end();
  // A server that ran before these commands has limits of its own, which the next commands set.
  if (server_ != 0 || answer.servers.empty()) set_ = asked_;
  if (phase_ == Phase::kStarting) phase_ = Phase::kReady;
  looked_at_ns_ = talk_since_ns_;
  fault_since_ns_ = !answer.is_faulty ? 0 : fault_since_ns_ == 0 ? talk_since_ns_ : fault_since_ns_;
  if (is_lost) return End("its server died");
  if (!answer.servers.empty()) server_ = answer.servers.front();
}

// A daemon that was just started may not listen yet; one that has answered before and fails now is
// unusable.
void MpsDaemon::Miss(int64_t now_ns, const std::string& why) {
  next_ns_ = now_ns + kAskAgain.ns;
  if (phase_ == Phase::kReady)
    End("it does not answer its control program" + (why.empty() ? "" : ": " + why));
}

void MpsDaemon::Quit(int64_t now_ns) {
  phase_ = Phase::kQuitting;
  quit_ns_ = now_ns;
  talk_.reset();
  auto talk = MpsConversation::Begin(runner_, key_, program_, "quit -t 5\n");
  if (!talk) return runner_.Stop(key_, kQuitGrace);
  talk_ = *std::move(talk);
  talk_since_ns_ = now_ns;
}

}  // namespace gp
