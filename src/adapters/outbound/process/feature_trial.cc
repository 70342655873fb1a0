#include "adapters/outbound/process/feature_trial.h"

#include "adapters/outbound/process/carried_programs.h"
#include "domain/model/nodes/features.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

// A file server may block it.
constexpr Duration kTrialMax = Duration::Seconds(10);

}  // namespace

Result<std::vector<TriedFeature>> TryFeatures(const std::string& programs,
                                              const std::string& directory) {
  const std::string supervisor = GP_TRY(InstallSupervisor(programs));
  std::vector<TriedFeature> tried;
  for (const std::string& name : AllFeatures()) {
    if (name == kGraphicsFeature) continue;  // the node's devices tell
    CommandEnd end;
    // Once more: a host may be short of memory or time for a moment.
    for (int i = 0; i < 2 && !end.ok; ++i)
      end = RunCommand({supervisor, "--try", name, directory}, {.time_limit = kTrialMax});
    const std::string why = end.output.empty() ? "its trial failed" : end.output;
    tried.push_back({name, end.ok ? "" : why});
  }
  return tried;
}

}  // namespace gp
