#pragma once

// Opens the directories that a job names with the rights of its user: on network file systems root
// may have no access where the user has, and must not have more.

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

struct OpenedDirectory {
  std::string path;  // in the image; of a file if the agent shows one
  Descriptor directory;
  bool read_only = false;
  bool is_itself = true;  // it has the same path on the host, and may be written to
};

struct OpenedAsUser {
  Descriptor image;                    // none where LaunchSpec::image_directory is empty
  std::vector<OpenedDirectory> shown;  // of LaunchSpec::host_directories
};

// In a process of its own, for half a minute at most, because a file server may block it for ever.
// Errors: kInvalidArgument (what the job names is not there, not for its user, or of the kernel),
// kInternal (by the host's fault).
Result<OpenedAsUser> OpenAsUser(const LaunchSpec& spec);

}  // namespace gp
