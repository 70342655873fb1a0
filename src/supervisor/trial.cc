#include "supervisor/trial.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "files/descriptor.h"
#include "files/layer_marks.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/files/remove_tree.h"
#include "supervisor/process/private_mounts.h"
#include "supervisor/process/private_network.h"
#include "supervisor/process/private_processes.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr char kTrial[] = "image-trial";
constexpr char kImage[] = "image";
// What it hides, and what not.
constexpr char kTop[] = "top";
constexpr char kBase[] = "base";
constexpr char kHiddenFile[] = "hidden";
constexpr char kHiddenDirectory[] = "emptied";
constexpr char kShown[] = "shown";

// Enters what a job does in an image.
Status EnterTrialImage(LaunchSpec spec) {
  spec.key = "trial";
  bool has_own_mounts = false;
  GP_CHECK_OK(EnterPrivateMounts(spec, has_own_mounts));
  PrivateProcesses processes;
  GP_CHECK_OK(EnterPrivateProcesses(spec.key, processes));
  return processes.first > 0 ? Ok() : Fail(Internal("this kernel has no PID namespaces"));
}

Status EnterEmptyImage(const std::string& directory) {
  LaunchSpec spec;
  spec.image_directory = directory + "/" + kImage;
  if (mkdir(spec.image_directory.c_str(), 0755) != 0)
    return Fail(SystemError("cannot make " + spec.image_directory, errno));
  return EnterTrialImage(std::move(spec));
}

bool MakeLayerOfTrial(const std::string& layer) {
  return mkdir(layer.c_str(), 0755) == 0 &&
         mkdir((layer + "/" + kHiddenDirectory).c_str(), 0755) == 0;
}

// One layer over another hides a file and the content of a directory of it.
Status EnterLayers(const std::string& directory) {
  LaunchSpec spec;
  spec.image_layers = {directory + "/" + kTop, directory + "/" + kBase};
  const std::string& top = spec.image_layers[0];
  const std::string& base = spec.image_layers[1];
  const std::string emptied = std::string("/") + kHiddenDirectory;
  const std::string hidden = std::string("/") + kHiddenFile;
  const std::string shown = std::string("/") + kShown;
  const bool is_made = MakeLayerOfTrial(base) && MakeLayerOfTrial(top) &&
                       mkdir((base + hidden).c_str(), 0755) == 0 &&
                       mkdir((base + emptied + hidden).c_str(), 0755) == 0 &&
                       mkdir((base + shown).c_str(), 0755) == 0 &&
                       HideInLowerLayers((top + hidden).c_str()) &&
                       HideContentInLowerLayers((top + emptied).c_str());
  if (!is_made)
    return Fail(SystemError("cannot mark in " + directory + " what a layer hides", errno));
  GP_CHECK_OK(EnterTrialImage(std::move(spec)));
  const auto is_there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  if (is_there(shown) && is_there(emptied) && !is_there(hidden) && !is_there(emptied + hidden))
    return Ok();
  return Fail(Internal("overlays of this kernel do not hide what a layer removes"));
}

// A job without an image that sees a directory of the agent.
Status EnterWithData(const std::string& directory) {
  const std::string data = directory + "/data";
  if (mkdir(data.c_str(), 0755) != 0) return Fail(SystemError("cannot make " + data, errno));
  LaunchSpec spec;
  spec.host_directories = {
      {.path = data, .at = "/tmp/data", .read_only = true, .is_of_agent = true}};
  bool has_own_mounts = false;
  GP_CHECK_OK(EnterPrivateMounts(spec, has_own_mounts));
  if (access("/tmp/data", R_OK) == 0 && has_own_mounts) return Ok();
  return Fail(Internal("a job does not see its data"));
}

Status TryIn(const std::string& above, Status (*enter)(const std::string& directory)) {
  const Descriptor parent(open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string directory = above + "/" + kTrial;
  RemoveTree(parent.get(), kTrial);  // of a trial that was killed
  if (!parent.valid() || mkdir(directory.c_str(), 0711) != 0 || chdir(directory.c_str()) != 0)
    return Fail(SystemError("cannot make a directory in " + above, errno));
  const Status entered = enter(directory);
  RemoveTree(parent.get(), kTrial);
  return entered;
}

}  // namespace

Status TryFeature(const std::string& feature, const std::string& directory) {
  if (feature == "data") return TryIn(directory, EnterWithData);
  if (feature == "images") return TryIn(directory, EnterEmptyImage);
  if (feature == "image-layers") return TryIn(directory, EnterLayers);
  if (feature == "image-pull") return Ok();  // takes a program, which the agent tries
  if (feature == "squashfs") return Ok();    // so does this
  if (feature == "launchers") return Ok();   // takes nothing of the host
  if (feature == "stage-only") return Ok();  // nor does this
  bool has_own_network = false;
  if (feature == "network-none") return EnterPrivateNetwork(has_own_network);
  return Fail(InvalidArgument("no feature is named " + feature));
}

}  // namespace gp
