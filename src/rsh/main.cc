// gpu-platform-rsh: starts programs in other ranks of the job that it runs in, as ssh would on
// other nodes.  Launchers that expect ssh, as those of MPI do, use it in its place.
//
//   gpu-platform-rsh HOST COMMAND…       in the rank on that node
//   gpu-platform-rsh --lead COMMAND…     in rank 0: the launcher's command
//   gpu-platform-rsh --follow [COMMAND…] in all other ranks
//
// It is one static file, so that it runs in any image.  Ranks prove to each other by GP_JOB_TOKEN
// that they are of the same attempt; only rank 0 listens.

#include <signal.h>

#include <cstring>
#include <string>

#include "rsh/client.h"
#include "rsh/follow.h"
#include "rsh/job.h"
#include "rsh/lead.h"

namespace {

constexpr char kUse[] = "gpu-platform-rsh HOST COMMAND… | --lead COMMAND… | --follow [COMMAND…]";

// Options of ssh that take a value, as launchers write them.
bool TakesValue(const char* option) {
  return std::strlen(option) == 2 && std::strchr("bcDEeFIiJLlmOopQRSWw", option[1]) != nullptr;
}

// As ssh does: options, the host, then the command, whose words are joined for the shell there.
int RunAsSsh(int count, char** words) {
  int i = 1;
  while (i < count && words[i][0] == '-') i += TakesValue(words[i]) ? 2 : 1;
  if (i + 1 >= count) gp::rsh::Fail(kUse);
  std::string host = words[i++];
  host = host.substr(host.find('@') + 1);  // user@host
  std::string command;
  for (; i < count; ++i) command += (command.empty() ? "" : " ") + std::string(words[i]);
  return gp::rsh::RunOn(gp::rsh::JobOfEnvironment(), host, command);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) gp::rsh::Fail(kUse);
  signal(SIGPIPE, SIG_IGN);
  const std::string mode = words[1];
  if (mode != "--lead" && mode != "--follow") return RunAsSsh(count, words);
  const gp::rsh::Job job = gp::rsh::JobOfEnvironment();
  if (mode == "--follow") return gp::rsh::Follow(job, words + 2);
  if (count < 3) gp::rsh::Fail(kUse);
  return gp::rsh::Lead(job, words + 2);
}
