#pragma once

// One control daemon of MPS, of one user on one GPU: an attempt of the platform's own, so that it
// has its cgroup, its user and its logs, and is found again after a restart of the agent, as every
// other attempt.  It is told the limits of its clients, asked every other second how it is, and
// quits after its last client.

#include <memory>
#include <optional>
#include <string>

#include "application/agent/mps_conversation.h"
#include "base/time.h"

namespace gp {

// What the daemon lets any one client have.  A client's own environment can only lower it.
struct MpsLimits {
  int percent = 0;  // of the compute
  int64_t memory_mib = 0;
  bool operator==(const MpsLimits&) const = default;
  bool Cover(const MpsLimits& other) const {
    return percent >= other.percent && memory_mib >= other.memory_mib;
  }
  static MpsLimits Larger(const MpsLimits& a, const MpsLimits& b);
};

// Until it answers for the first time
inline constexpr Duration kMpsStartMax = Duration::Seconds(10);
inline constexpr Duration kMpsAnswerMax = Duration::Seconds(5);  // to a command
inline constexpr Duration kMpsQuitMax = Duration::Seconds(10);   // then it is killed
// For its clients to leave a server that has failed
inline constexpr Duration kMpsFaultMax = Duration::Seconds(5);
inline constexpr Duration kMpsLookInterval = Duration::Seconds(2);

class MpsDaemon {
 public:
  enum class Phase { kStarting, kReady, kQuitting, kEnding, kGone };

  // The attempt `key` was started, now or by an earlier agent.  The runner outlives this.
  MpsDaemon(AttemptRunner& runner, std::string key, uint32_t uid, std::string program,
            int64_t now_ns);

  // What its clients need together; nullopt: it has none any more.
  void Want(std::optional<MpsLimits> limits);
  // One step.  `status`: of its attempt; nullptr: the runner does not know it.
  void Step(const AttemptStatus* status, int64_t now_ns);
  // Ends it at once, with everything that it started.
  void End(const std::string& why);

  const std::string& key() const { return key_; }
  uint32_t uid() const { return uid_; }
  Phase phase() const { return phase_; }
  bool Covers(const MpsLimits& limits) const {
    return phase_ == Phase::kReady && set_.Cover(limits);
  }
  // Why it cannot be used any more; empty: it can.  Its clients have lost their server.
  const std::string& failure() const { return failure_; }
  // Whether its server waits for all clients to leave, after a fatal error of one.
  bool IsFaulty() const { return fault_since_ns_ != 0; }
  // It was found well, or not, by a question that was asked at this time.
  int64_t looked_at_ns() const { return looked_at_ns_; }
  void LookSoon() { look_soon_ = true; }
  std::optional<int64_t> NextAt() const;  // of the next step that nobody else tells of
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
  MpsLimits asked_;  // with the question that is open
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
