#pragma once

namespace gp {

// Thrown through production code when the virtual controller's process crashes in the middle of its
// work.
struct ControllerCrash {};

// Where the controller crashes.
enum class CrashPoint {
  kNone,
  kBeforeSync,          // the batch is lost
  kAfterSync,           // the batch is durable, and nothing is reported
  kDiskFails,           // the journal refuses the batch: the process must stop on its own
  kBeforeDesiredState,  // callers got their answers, nodes did not get their desired state
};

}  // namespace gp
