#pragma once

// Paths on this host: files shipped beside the program; directories of the system for root, and of
// the user for others.

#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

std::string ExecutablePath();
// Resolved against the working directory of this process; jobs and supervisors have another one.
std::string AbsolutePath(const std::string& path);

// /var/lib/gpu-platform, or $XDG_STATE_HOME/gpu-platform.
std::string DefaultStateDirectory();
// Directory of settings files: /etc/gpu-platform, or $XDG_CONFIG_HOME/gpu-platform.
std::string DefaultConfigDirectory();
// Directory of the sockets: /run/gpu-platform, or $XDG_RUNTIME_DIR/gpu-platform.
std::string DefaultRunDirectory();
// The run directory of the controller that a user's commands go to: the user's own controller if
// there ever was one, else the machine's.  The socket `http.sock` remains after a controller has
// ended, so a command for the user's own controller never reaches the machine's.
std::string ControllerRunDirectory(const std::string& own, const std::string& machines);
std::string ControllerRunDirectory();

// Sorted names of the machine files shipped with the program.
std::vector<std::string> MachineNames();
// A machine file by name ("dgx-h100", shipped with the program) or by path.  Errors: kNotFound,
// with the names that exist.
Result<std::string> MachineFilePath(const std::string& name);
// The simulated driver that is shipped with the program.
Result<std::string> FakeDriverPath();
// The program that simulates the MPS control daemon on simulated machines; it may not exist.
std::string FakeMpsControlPath();

// Makes the directory and its parents; `mode` applies to the last one.
Status MakeDirectories(const std::string& path, unsigned mode);
Result<std::string> ReadTextFile(const std::string& path, size_t bytes_max = 1 << 20);
// Replaces the whole file or nothing, also if the power fails.
Status WriteTextFile(const std::string& path, const std::string& text, unsigned mode);
// The same for what every user of the machine may read, whatever the umask of this process: that of
// the services is 077.
Status WriteFileForAll(const std::string& path, const std::string& text);

}  // namespace gp
