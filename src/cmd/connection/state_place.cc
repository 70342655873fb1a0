#include "cmd/connection/state_place.h"

#include <unistd.h>

#include "cmd/connection/controller_line.h"
#include "cmd/connection/credentials.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

std::string NoteIn(const std::string& run_directory) { return run_directory + "/state-directory"; }

}  // namespace

Status KeepStatePlace(const std::string& run_directory, const std::string& state_directory) {
  return WriteFileForAll(NoteIn(run_directory), state_directory + "\n");
}

void ForgetStatePlace(const std::string& run_directory) { unlink(NoteIn(run_directory).c_str()); }

Result<std::string> StatePlace(const std::string& server) {
  const std::string place = GP_TRY(PlaceOfController(server));
  if (IsAddress(place))
    return Fail(Unsupported("the files of the controller at " + place + " are on its machine"));
  const auto kept = ReadTextFile(NoteIn(place));
  return kept ? kept->substr(0, kept->find('\n')) : DefaultStateDirectory();
}

}  // namespace gp
