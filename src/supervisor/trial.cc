#include "supervisor/trial.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/files/remove_tree.h"
#include "supervisor/process/private_mounts.h"
#include "supervisor/process/private_network.h"
#include "supervisor/process/private_processes.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr char kImage[] = "image";
constexpr char kTrial[] = "image-trial";

// A job in an empty image.
Status EnterEmptyImage(const std::string& directory) {
  LaunchSpec spec;
  spec.key = "trial";
  spec.image_directory = directory + "/" + kImage;
  if (mkdir(spec.image_directory.c_str(), 0755) != 0)
    return Fail(SystemError("cannot make " + spec.image_directory, errno));
  bool has_own_mounts = false;
  GP_CHECK_OK(EnterPrivateMounts(spec, has_own_mounts));
  PrivateProcesses processes;
  GP_CHECK_OK(EnterPrivateProcesses(spec.key, processes));
  return processes.first > 0 ? Ok() : Fail(Internal("this kernel has no PID namespaces"));
}

Status TryImages(const std::string& above) {
  const Descriptor parent(open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string directory = above + "/" + kTrial;
  RemoveTree(parent.get(), kTrial);  // of a trial that was killed
  if (!parent.valid() || mkdir(directory.c_str(), 0711) != 0 || chdir(directory.c_str()) != 0)
    return Fail(SystemError("cannot make a directory in " + above, errno));
  const Status entered = EnterEmptyImage(directory);
  RemoveTree(parent.get(), kTrial);
  return entered;
}

}  // namespace

Status TryFeature(const std::string& feature, const std::string& directory) {
  if (feature == "images") return TryImages(directory);
  bool has_own_network = false;
  if (feature == "network-none") return EnterPrivateNetwork(has_own_network);
  return Fail(InvalidArgument("no feature is named " + feature));
}

}  // namespace gp
