#include "cmd/sharing/shared_mark.h"

#include <filesystem>
#include <system_error>

#include "infrastructure/paths.h"

namespace gp {
namespace {

std::string MarkIn(const std::string& state_directory) { return state_directory + "/shared-log"; }

}  // namespace

Result<SharedMark> ReadSharedMark(const std::string& state_directory) {
  const std::string mark = MarkIn(state_directory);
  auto there = ReadTextFile(mark);
  if (!there && there.error().code == ErrorCode::kNotFound) return SharedMark{};
  if (!there) return Fail(there.error().Within(mark));
  while (there->ends_with('\n')) there->pop_back();
  return SharedMark{.is_there = true, .cluster = *std::move(there)};
}

Status MarkShared(const std::string& state_directory, const std::string& cluster) {
  return WriteTextFile(MarkIn(state_directory), cluster + "\n", 0600);
}

Status Unmark(const std::string& state_directory) {
  std::error_code error;
  std::filesystem::remove(MarkIn(state_directory), error);
  if (error) return Fail(Internal(MarkIn(state_directory) + ": " + error.message()));
  return Ok();
}

Status CheckCluster(const std::string& state_directory, const SharedMark& mark,
                    const std::string& cluster) {
  if (mark.cluster.empty() || mark.cluster == cluster) return Ok();
  return Fail(Conflict(state_directory + " is of a controller of the cluster " + mark.cluster +
                       ", not of " + cluster + ": correct --cluster (sharing.cluster)"));
}

Status CheckNotShared(const std::string& state_directory) {
  const SharedMark mark = GP_TRY(ReadSharedMark(state_directory));
  if (!mark.is_there) return Ok();
  return Fail(Conflict(
      state_directory +
      " is of one of several controllers, which share their log: start it with "
      "--store. To go back to one controller, stop all others for good (gpu-platform admin "
      "controllers adopt-local; docs/controllers.md)"));
}

}  // namespace gp
