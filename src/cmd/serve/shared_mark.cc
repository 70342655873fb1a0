#include "cmd/serve/shared_mark.h"

#include "infrastructure/paths.h"

namespace gp {
namespace {

std::string MarkIn(const std::string& state_directory) { return state_directory + "/shared-log"; }

}  // namespace

Status MarkShared(const std::string& state_directory, const std::string& cluster) {
  const std::string mark = MarkIn(state_directory);
  const std::string text = cluster + "\n";
  const auto there = ReadTextFile(mark);
  return there && *there == text ? Ok() : WriteTextFile(mark, text, 0600);
}

Status CheckNotShared(const std::string& state_directory) {
  const std::string mark = MarkIn(state_directory);
  const auto there = ReadTextFile(mark);
  if (!there)
    return there.error().code == ErrorCode::kNotFound ? Ok() : Fail(there.error().Within(mark));
  return Fail(
      Conflict(state_directory +
               " is of one of several controllers, which share their log: start it with "
               "--store. To go back to one controller, stop all others for good and remove " +
               mark + " (docs/controllers.md)"));
}

}  // namespace gp
