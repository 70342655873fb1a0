#pragma once

// Where things are on this host: beside the program, below the system's directories for root, below
// the user's own for others.

#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

std::string ExecutablePath();
// Seen from where this process stands; jobs and supervisors stand elsewhere.
std::string AbsolutePath(const std::string& path);

// /var/lib/gpu-platform, or $XDG_STATE_HOME/gpu-platform.
std::string DefaultStateDirectory();
// Of the sockets: /run/gpu-platform, or $XDG_RUNTIME_DIR/gpu-platform.
std::string DefaultRunDirectory();
// Where a user of this machine finds a controller: the user's own; for who never had one, the
// machine's.  By the socket `http.sock`, which stays where a controller has ended: a command that
// was meant for one's own must not reach another's.
std::string ControllerRunDirectory(const std::string& own, const std::string& machines);
std::string ControllerRunDirectory();

// The machines shipped with the program, by name and sorted.
std::vector<std::string> MachineNames();
// A machine file by name ("dgx-h100", shipped with the program) or by path.
// kNotFound names those that are there.
Result<std::string> MachineFilePath(const std::string& name);
// The simulated driver that is shipped with the program.
Result<std::string> FakeDriverPath();
// Of the program that plays the control daemon of MPS on simulated machines; it may not be there.
std::string FakeMpsControlPath();

// Makes the directory and its parents; mode is for the last one.
Status MakeDirectories(const std::string& path, unsigned mode);
Result<std::string> ReadTextFile(const std::string& path, size_t bytes_max = 1 << 20);
// All or nothing, for readers and after a power cut.
Status WriteTextFile(const std::string& path, const std::string& text, unsigned mode);

}  // namespace gp
