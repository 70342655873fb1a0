#pragma once

// All that is going to happen in one virtual world, drawn from a seed before it begins: hosts, jobs
// with what their programs will do, and mishaps.  A part of it may be left out, and the rest stays
// what it was: so a failing world can be made small.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/policy.h"
#include "domain/model/job.h"
#include "domain/model/node.h"

namespace gp {

// What a program does once it runs, and with a gang once all its ranks run.
struct ProgramPlan {
  Duration work;       // until its end
  int exit_code = 0;   // then
  int signal = 0;      // or it dies of this one
  int xid = 0;         // and the driver reports this
  bool hangs = false;  // it never ends by itself
  bool ignores_stop = false;
};

struct JobPlan {
  std::shared_ptr<const JobSpec> spec;
  User user;
  Duration submit_after;  // since the world began
  Duration work;          // of an attempt that succeeds
  Duration saves_every;   // its first rank writes a checkpoint; 0: never
  int failures = 0;       // its first attempts fail by themselves …
  int exit_code = 0;      // … with this
  int xid = 0;            // … and this in the driver's log
  bool hangs = false;
  bool ignores_stop = false;

  ProgramPlan Attempt(int attempt, int rank) const;
};

struct HostPlan {
  std::shared_ptr<const NodeFacts> facts;  // with all GPUs that it has at some time
  size_t spares = 0;                       // the last of them lie on a shelf at first
  // A machine of somebody else's that has the name of another host; it is off at first
  bool is_stranger = false;
  int drift_ppm = 0;
  bool has_kernel_log = false;
  bool tells_advice = true;  // its driver says what it needs after an error
};

enum class MishapKind {
  kControllerCrash,  // at one of the points in its work
  kControllerSleeps,
  kControllerClock,
  kAgentCrash,
  kAgentSleeps,
  kHostReboots,
  kHostWiped,  // reboots without its state directory
  kHostGone,   // for good
  kGpuGone,    // out of the driver's list, until power is cut
  kGpuExchanged,
  kGpusReordered,  // listed in another order, beside a little less memory
  kNameTaken,      // by a stranger, for a while
  kHostClock,
  kPartition,  // both ways
  kDeaf,       // nothing reaches the host
  kMute,       // nothing leaves it
  kLinkBreaks,
  kSlowLink,
  kDoubledMessages,
  kSupervisorKilled,
  kStartsFail,     // for a while
  kProgramKilled,  // by the kernel: out of memory
  kProgramXid,     // an error of the program, so it seems
  kXidFlood,
  kFatalXid,
  kFatalBurst,  // several codes of one error
  kGpuLost,
  kGpuBroken,  // a test finds it, a reset does not mend it
  kResetsFail,
  kAdviceOnly,  // no XID says so
  kBlind,       // readings of a GPU stop
  kHeat,        // warm, slowed down for it, or about to turn itself off
  kDrain,
  kOffline,
  kReset,
  kOnline,
  kCancel,
  kHold,
  kPriority,
  kStalePlan,  // a scheduler that is behind
  kIncidentClosed,
  kReservation,  // of a node, for a while
  kMoves,        // a person has room made for who waits
};
inline constexpr int kMishapKinds = 43;

struct Mishap {
  MishapKind kind = MishapKind::kControllerCrash;
  Duration after;  // since the world began
  size_t host = 0;
  int gpu = 0;
  Duration lasts;
  uint64_t dice = 0;  // for what else is to be chosen
};
const char* Name(MishapKind kind);

inline constexpr const char* kSecondQueue = "prod";

struct WorldPlan {
  uint64_t seed = 0;
  Policy policy;
  uint64_t records_per_snapshot = 0;
  bool has_queues = false;  // a second one, with a guarantee
  std::vector<HostPlan> hosts;
  std::vector<JobPlan> jobs;
  std::vector<Mishap> mishaps;  // by `after`
  Duration lasts;               // then all is healed
  int latency_ms_max = 5;
};

// `base`: with the rules for XIDs.
WorldPlan DrawWorld(uint64_t seed, const Policy& base);

// How many jobs a submit of it comes to.
size_t CountOf(const JobPlan& job);

// Of its jobs and mishaps only these, by position.
struct WorldPart {
  std::set<size_t> jobs;
  std::set<size_t> mishaps;
};
WorldPart WholeOf(const WorldPlan& plan);
size_t CountJobs(const WorldPlan& plan, const WorldPart& part);

}  // namespace gp
