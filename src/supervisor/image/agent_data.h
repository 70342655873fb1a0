#pragma once

// Files and directories of the agent that a job sees: the data that was fetched for it.

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// Errors: kInternal (it is gone).
Result<Descriptor> OpenOfAgent(const std::string& path);

bool IsDirectory(const Descriptor& file);

// The data of an attempt without an image.
class AgentData {
 public:
  // Errors as of OpenOfAgent.
  static Result<AgentData> Open(const LaunchSpec& spec);
  // Shows it in the attempt's own /tmp, or over what its node has at the same path.  REQUIRES: the
  // attempt has mounts of its own, and they hold its /tmp.  Errors: kInvalidArgument (the node has
  // no such file or directory to cover), kInternal.
  Status Show(bool has_own_tmp) const;

 private:
  struct Shown {
    std::string at;
    Descriptor file;
  };

  std::vector<Shown> shown_;
};

}  // namespace gp
