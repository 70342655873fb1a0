#pragma once

#include <memory>
#include <optional>
#include <string>

#include "application/agent/mps_conversation.h"
#include "base/time.h"

namespace gp {

// The limits that the daemon sets for each client.  A client's environment can only lower them.
struct MpsLimits {
  int percent = 0;  // of the compute
  int64_t memory_mib = 0;
  bool operator==(const MpsLimits&) const = default;
  bool Cover(const MpsLimits& other) const {
    return percent >= other.percent && memory_mib >= other.memory_mib;
  }
  static MpsLimits Larger(const MpsLimits& a, const MpsLimits& b);
};

// Time until the first answer of a new daemon
inline constexpr Duration kMpsStartMax = Duration::Seconds(10);
inline constexpr Duration kMpsAnswerMax = Duration::Seconds(5);  // to a command
inline constexpr Duration kMpsQuitMax = Duration::Seconds(10);   // then it is killed
// Time for clients to leave a failed server
inline constexpr Duration kMpsFaultMax = Duration::Seconds(5);
inline constexpr Duration kMpsLookInterval = Duration::Seconds(2);

// An MPS control daemon of one user on one GPU.  It runs as an attempt, so it has a cgroup, a user
// and logs, and is found again after a restart of the agent.  This class sets the limits of its
// clients, checks its health every two seconds, and makes it quit after its last client.  One
// thread (the agent's) calls it.
class MpsDaemon {
 public:
  enum class Phase { kStarting, kReady, kQuitting, kEnding, kGone };

  // The attempt `key` was started, by this or an earlier agent.  The runner outlives this object.
  MpsDaemon(AttemptRunner& runner, std::string key, uint32_t uid, std::string program,
            int64_t now_ns);

  // Sets the limits that cover all its clients; nullopt: it has no client any more.
  void Want(std::optional<MpsLimits> limits);
  // Does what is due.  `status`: of its attempt; nullptr: the runner does not know it.
  void Step(const AttemptStatus* status, int64_t now_ns);
  // Kills it at once, with all processes that it started.
  void End(const std::string& why);

  const std::string& key() const { return key_; }
  uint32_t uid() const { return uid_; }
  Phase phase() const { return phase_; }
  bool Covers(const MpsLimits& limits) const {
    return phase_ == Phase::kReady && set_.Cover(limits);
  }
  // Why it is unusable, so that its clients have lost their server; empty: it is usable.
  const std::string& failure() const { return failure_; }
  // Whether its server waits for all clients to leave after a fatal error of one of them.
  bool IsFaulty() const { return fault_since_ns_ != 0; }
  // When the last check with a result was started.
  int64_t looked_at_ns() const { return looked_at_ns_; }
  void LookSoon() { look_soon_ = true; }
  std::optional<int64_t> NextAt() const;  // when Step is due without an event
  int EventDescriptor() const { return talk_ == nullptr ? -1 : talk_->EventDescriptor(); }

 private:
  void Ask(int64_t now_ns);
  void Quit(int64_t now_ns);
  void Hear(int64_t now_ns);
  void TakeAnswer(const std::string& text);
  void Miss(int64_t now_ns, const std::string& why);
  std::string Commands() const;

  AttemptRunner& runner_;
  const std::string key_;
  const uint32_t uid_;
  const std::string program_;
  const int64_t began_ns_;
  Phase phase_ = Phase::kStarting;
  std::optional<MpsLimits> wanted_ = MpsLimits{};
  MpsLimits asked_;  // sent with the pending commands
  MpsLimits set_;
  std::unique_ptr<MpsConversation> talk_;
  int64_t talk_since_ns_ = 0;
  int64_t looked_at_ns_ = 0;
  int64_t next_ns_ = 0;
  int64_t quit_ns_ = 0;
  bool look_soon_ = false;
  int server_ = 0;  // its process id; 0: none known
  int64_t fault_since_ns_ = 0;
  std::string failure_;
};

}  // namespace gp
