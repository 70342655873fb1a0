#pragma once

// The scenario file (docs/reference/scenario_file.md).  Strict like the job file: anything
// unknown is refused with line, column and a fix.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/cluster/policy.h"
#include "domain/model/jobs/job_spec.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/yaml_tree.h"
#include "simulation/scenario/scenario_run.h"

namespace gp {

enum class TraceFormat { kPhilly, kAlibaba };

// Functions that load what a scenario names (machines, traces and journals) and read what it
// contains in formats of their own (jobs and a policy).
struct ScenarioSources {
  std::function<Result<std::shared_ptr<const NodeFacts>>(const std::string& machine)> machine;
  std::function<Result<TraceWorkload>(const std::string& file, TraceFormat format)> trace;
  std::function<Result<RecordedRun>(const std::string& file)> journal;
  // Problems are added to the report; nullopt if there are some.
  std::function<std::optional<JobSpec>(const YamlNode& map, std::string_view default_name,
                                       Report& report)>
      job;
  std::function<std::function<void(Policy&)>(const YamlNode& map, Report& report)> policy;
};

struct DecodedScenario {
  std::optional<ScenarioRun> run;  // set if there are no diagnostics
  std::vector<Diagnostic> diagnostics;
};

// `file_name` is used in messages; the file itself is not opened.
DecodedScenario DecodeScenario(std::string_view file_name, std::string_view text,
                               const ScenarioSources& sources);

}  // namespace gp
