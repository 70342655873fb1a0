#pragma once

namespace gp {

// What a job reaches beside its own processes.
enum class NetworkAccess {
  kHost,  // what its node reaches
  kNone,  // a loopback interface of its own
};

}  // namespace gp
