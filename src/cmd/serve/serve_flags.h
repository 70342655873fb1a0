#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cmd/serve/controller_config.h"

namespace CLI {
class App;
}

namespace gp {

// The settings of `serve` as the command line gives them.
struct ServeFlags {
  ControllerConfig config;  // what needs no further check
  bool no_agent = false;
  std::string node_certificates = "90d";
  std::string lease_time = "10s";
  std::string min_run;  // empty: the policy's
  std::string traces;   // a URL; empty: none
};

void AddServeFlags(CLI::App& sub, const std::shared_ptr<ServeFlags>& flags);
// kInvalidArgument names the flag.  Paths become absolute.
Result<ControllerConfig> ParseServeFlags(const ServeFlags& flags);

}  // namespace gp
