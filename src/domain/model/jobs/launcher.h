#pragma once

namespace gp {

// What starts the job's command on each node: once, or by a launcher once for each GPU.
enum class Launcher {
  kNone,        // once; the command may be a launcher itself
  kTorchrun,    // torchrun of PyTorch
  kAccelerate,  // accelerate launch of Hugging Face
  kDeepspeed,   // torchrun, whose variables DeepSpeed reads; its own launcher needs ssh
  kMpi,         // mpirun on rank 0, for the GPUs of all ranks
  kHorovod,     // the same, as Horovod needs it
  kRay,         // a Ray cluster of all ranks; the command runs once, on rank 0
};

// Whether rank 0 starts programs on the nodes of the other ranks, which hold only their GPUs.
constexpr bool IsLedByRankZero(Launcher launcher) {
  return launcher == Launcher::kMpi || launcher == Launcher::kHorovod || launcher == Launcher::kRay;
}

}  // namespace gp
