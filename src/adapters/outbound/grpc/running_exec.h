#pragma once

// A process inside a job and its user, who may come back after the connection has broken.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "files/descriptor.h"
#include "gpu_platform/v1/control.pb.h"
#include "ports/inbound/channel_gateway.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The connection to the user.  One thread reads, another one writes; any thread breaks.
class ExecPeer {
 public:
  virtual ~ExecPeer() = default;
  // False: nothing comes any more.
  virtual bool Read(v1::ExecInput* message) = 0;
  virtual bool Write(const v1::ExecOutput& message) = 0;
  // No more output; the other side ends the connection then.
  virtual void End() = 0;
  // Reads and writes end at once.
  virtual void Break() = 0;
};

// Who attaches to a process.
struct ExecUser {
  uint64_t received = 0;  // the number of the last output that it has, over a connection before
  int rows = 0;           // of its terminal; 0: unknown
  int columns = 0;
};

// Passes input and output on between a process and one user at a time.  Output that the user has
// not acknowledged is kept, up to a limit, and sent again to the connection that comes next; while
// there is none, the process waits as soon as its pipes are full.
class RunningExec {
 public:
  // How a user has left.
  enum class Left { kOver, kHungUp, kLost };
  struct Parting {
    Left left = Left::kOver;
    uint64_t user = 0;  // the number of the user: 1, 2, …
  };

  // `is_attachable`: messages are numbered, and a lost connection may be followed by another one.
  RunningExec(LeaseId lease, bool is_attachable) : lease_(lease), is_attachable_(is_attachable) {}
  RunningExec(const RunningExec&) = delete;
  RunningExec& operator=(const RunningExec&) = delete;

  LeaseId lease() const { return lease_; }
  // Starts the process; another call waits for the first one and has its result.
  Status Start(const std::function<Result<ExecStreams>()>& start, bool pty);
  // Serves this user; the one before is broken off, and not waited for: a write to a connection
  // that hangs may take as long as that lasts.  Returns when the process has ended and the user has
  // all output, or when the user has left.
  Parting Serve(ExecPeer& peer, const ExecUser& user);
  // Closes the process's ends: its terminal hangs up, its pipes break.
  void Close();
  // The same if nobody comes within that time after the user of this number; false: somebody has.
  bool CloseUnlessUserAfter(uint64_t user, std::chrono::milliseconds within);

 private:
  // From a user's coming to the leaving.
  struct Visit {
    explicit Visit(ExecPeer& its_peer);
    void Wake() const;

    ExecPeer& peer;
    const Descriptor wake;
    uint64_t number = 0;
    bool is_lost = false;  // under the mutex of the process
  };
  struct Unpassed {
    std::string bytes;
    bool is_end = false;
  };

  void Enter(Visit& visit, const ExecUser& user);
  void Leave(Visit& visit);

  void ReadInput(Visit& visit);
  void Take(const Visit& visit, const v1::ExecInput& message);
  void Keep(std::unique_lock<std::mutex>& lock, const Visit& visit, const v1::ExecInput& message);
  void Resize(int rows, int columns) const;

  Left WriteOutput(Visit& visit);
  void PassInput(const Visit& visit);
  bool SendAgain(Visit& visit);
  bool SendTaken(Visit& visit);
  bool PassOutput(Visit& visit);
  bool ReadOutput(Visit& visit, Descriptor& from, bool is_errors);
  void ReadExitCode(const Visit& visit);
  bool SendExitCode(Visit& visit);
  void AwaitChange(const Visit& visit) const;
  std::optional<Left> HasLeft(const Visit& visit);
  bool HasNewlyTaken(const Visit& visit);
  bool IsExitSent();
  bool IsOver();

  // With the mutex.
  void CloseAll();
  bool IsServed(const Visit& visit) const { return visit_ == &visit && !is_hung_up_; }
  void Number(v1::ExecOutput& output);
  void Forget(uint64_t received);

  const LeaseId lease_;
  const bool is_attachable_;

  std::mutex starting_;
  std::optional<Status> started_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool pty_ = false;
  Descriptor input_, output_, errors_, exit_status_;  // none of them waits
  std::optional<int> exit_code_;
  bool is_exit_sent_ = false;
  bool is_hung_up_ = false;
  Visit* visit_ = nullptr;         // of the user who is served
  uint64_t users_ = 0;             // so far
  std::deque<Unpassed> unpassed_;  // input messages that the process has not read yet
  size_t unpassed_bytes_ = 0;
  uint64_t taken_ = 0;  // input messages that have reached the process
  uint64_t told_ = 0;   // of them, those that the user knows of
  uint64_t sent_ = 0;   // output messages
  std::deque<v1::ExecOutput> unreceived_;
  size_t unreceived_bytes_ = 0;
};

// The processes whose users may come back, by their sessions.  Thread-safe.
class ExecSessions {
 public:
  // The process of that session; a new one that is yet to be started if there is none, unless
  // `must_exist`.  kNotFound; kInvalidArgument: no name of a session; kConflict: its lease is
  // another one.
  Result<std::shared_ptr<RunningExec>> Find(const std::string& session, LeaseId lease,
                                            bool must_exist);
  void Forget(const std::string& session, const std::shared_ptr<RunningExec>& exec);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<RunningExec>> execs_;
};

// How long a process outlives a connection that was lost.
inline constexpr std::chrono::seconds kAttachWithin{30};

}  // namespace gp
