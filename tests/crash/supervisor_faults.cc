// The supervisor, with its file calls going through the shim.  It has no environment; its plan lies
// in PROGRAM.plan: the directory, then the fault and the number of the call.

#include <unistd.h>

#include <climits>
#include <fstream>
#include <string>

#include "tests/support/file_faults/file_faults.h"

namespace gp {
namespace {

__attribute__((constructor)) void ReadPlan() {
  char program[PATH_MAX] = "";
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return;
  std::ifstream file(std::string(program) + ".plan");
  std::string directory;
  int fault = 0;
  FilePlan plan;
  if (!std::getline(file, directory) || !(file >> fault >> plan.at)) return;
  plan.fault = static_cast<FilePlan::Fault>(fault);
  WatchFiles(directory, plan);
}

}  // namespace
}  // namespace gp
