#pragma once

// Thrown through production code where the virtual controller's process ends in the middle of its
// work.

namespace gp {

struct ControllerCrash {};

// Where in its work the controller ends.
enum class CrashPoint {
  kNone,
  kBeforeSync,          // the batch is lost
  kAfterSync,           // the batch is kept, and nobody is told
  kDiskFails,           // the journal refuses the batch: the process is to stop by itself
  kBeforeDesiredState,  // callers were told, nodes not
};

}  // namespace gp
