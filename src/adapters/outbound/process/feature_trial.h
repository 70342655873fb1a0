#pragma once

// Finds out what this host can do for jobs (domain/model/nodes/features.h).

#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

struct TriedFeature {
  std::string name;
  std::string missing;  // what the host lacks for it; empty: nothing
};

// The supervisor tries every feature with the code that starts a job.  `programs`: directory for
// the supervisor, as InstallSupervisor has it.  `directory`: on the file system that holds
// attempts; nothing stays there.
Result<std::vector<TriedFeature>> TryFeatures(const std::string& programs,
                                              const std::string& directory);

}  // namespace gp
