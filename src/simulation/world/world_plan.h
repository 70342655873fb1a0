#pragma once

// All that will happen in a virtual world, drawn from a seed before it begins: hosts, jobs with the
// behaviour of their programs, and mishaps.  Parts of a plan can be left out without changing the
// rest, so that a failing world can be reduced.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/codec/format.h"
#include "domain/cluster/policy.h"
#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"

namespace gp {

// What a program does once it runs; the ranks of a gang begin when all of them run.
struct ProgramPlan {
  Duration work;       // until it ends
  int exit_code = 0;   // when it ends
  int signal = 0;      // or it is killed by this signal
  int xid = 0;         // and the driver reports this XID
  bool hangs = false;  // it never ends
  bool ignores_stop = false;
};

struct JobPlan {
  std::shared_ptr<const JobSpec> spec;
  User user;
  Duration submit_after;  // since the world began
  Duration work;          // of a successful attempt
  Duration saves_every;   // rank 0 writes a checkpoint at this interval; 0: never
  int failures = 0;       // number of first attempts that fail on their own …
  int exit_code = 0;      // … with this exit code
  int xid = 0;            // … and this XID in the driver's log
  bool hangs = false;
  bool ignores_stop = false;

  ProgramPlan Attempt(int attempt, int rank) const;
};

struct HostPlan {
  std::shared_ptr<const NodeFacts> facts;  // with all GPUs that the host has at any time
  size_t spares = 0;  // number of the last GPUs that are not installed at first
  // A foreign machine that has the name of another host; it is off at first.
  bool is_stranger = false;
  int drift_ppm = 0;
  bool has_kernel_log = false;
  bool tells_advice = true;  // the driver reports the recovery action after an error
};

enum class MishapKind {
  kControllerCrash,  // at a CrashPoint
  kControllerSleeps,
  kControllerClock,
  kAgentCrash,
  kAgentSleeps,
  kHostReboots,
  kHostWiped,  // reboots and loses its state directory
  kHostGone,   // permanently
  kGpuGone,    // not listed by the driver until a power cycle
  kGpuExchanged,
  kGpusReordered,  // listed in another order, with slightly less host memory
  kNameTaken,      // by a foreign machine, for a while
  kHostClock,
  kPartition,  // both ways
  kDeaf,       // nothing reaches the host
  kMute,       // nothing leaves the host
  kLinkBreaks,
  kSlowLink,
  kStrayController,  // one that was replaced answers a host
  kDoubledMessages,
  kSupervisorKilled,
  kStartsFail,     // for a while
  kProgramKilled,  // by the kernel: out of memory
  kProgramXid,     // an error that the program seems to have caused
  kXidFlood,
  kFatalXid,
  kFatalBurst,  // several XIDs of one error
  kGpuLost,
  kGpuBroken,  // a test finds it, a reset does not fix it
  kResetsFail,
  kAdviceOnly,  // no XID reports it
  kBlind,       // readings of a GPU stop arriving
  kHeat,        // warm, throttled, or about to shut down
  kDrain,
  kOffline,
  kReset,
  kOnline,
  kCancel,
  kHold,
  kPriority,
  kStalePlan,  // a scheduler that works on an old state
  kIncidentClosed,
  kReservation,  // of a node, for a while
  kMoves,        // an operator has jobs moved so that pending ones start
  // Of worlds with several controllers.
  kStoreCut,          // a controller cannot reach the store
  kStoreShaky,        // requests and answers of the store are lost, and requests come late
  kLeasesEnd,         // the store ends its leases too early
  kLeasesStretch,     // or too late
  kStepDown,          // an operator has the leader give up its lead
  kControllerCutOff,  // no host reaches a controller, which reaches the store
};
inline constexpr int kMishapKinds = 50;

struct Mishap {
  MishapKind kind = MishapKind::kControllerCrash;
  Duration after;  // since the world began
  size_t host = 0;
  int gpu = 0;
  Duration lasts;
  uint64_t dice = 0;  // random bits for further choices
};
const char* Name(MishapKind kind);

// Of records, that any program of a world writes.
inline constexpr FormatRange kWorldFormats{.newest = kFormatVersion + 1};

inline constexpr const char* kSecondQueue = "prod";

struct WorldPlan {
  uint64_t seed = 0;
  Policy policy;
  uint64_t records_per_snapshot = 0;
  bool has_queues = false;  // there is a second queue, with a guarantee
  std::vector<HostPlan> hosts;
  std::vector<JobPlan> jobs;
  std::vector<Mishap> mishaps;  // sorted by `after`
  Duration lasts;               // then all mishaps are healed
  int latency_ms_max = 5;
  size_t controllers = 1;  // more than one share their log
  // How many times each controller begins with the program of this release; its later programs are
  // of the next one, which writes the next format of records.  All begin so at least once, as who
  // creates the log writes its newest format.  Empty: there is no other release.
  std::vector<int> older_runs;
};

// `base`: provides the rules for XIDs.  `controllers`: more than one have mishaps of their own;
// everything else is as with one.
WorldPlan DrawWorld(uint64_t seed, const Policy& base, size_t controllers = 1);

// The number of jobs that one submit of it creates.
size_t CountOf(const JobPlan& job);

// A part of a plan: only these jobs and mishaps, by position.
struct WorldPart {
  std::set<size_t> jobs;
  std::set<size_t> mishaps;
};
WorldPart WholeOf(const WorldPlan& plan);
size_t CountJobs(const WorldPlan& plan, const WorldPart& part);

}  // namespace gp
