#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/assert.h"
#include "cmd/agent/live_images.h"
#include "cmd/machine/doctor_checks.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

struct Words {
  const char* feature;
  const char* check;
  const char* offered;
  const char* lacking;
};

constexpr Words kWords[] = {
    {kDataFeature, "data", "data of jobs may be fetched and copied", "jobs cannot have data: "},
    {kImagesFeature, "images", "jobs may have images", "jobs cannot have images: "},
    {kImageLayersFeature, "layers", "images may be made of layers",
     "images cannot be made of layers: "},
    {kImagePullFeature, "registries", "images may come from registries",
     "images cannot be pulled: "},
    {kLaunchersFeature, "launchers", "jobs may have launchers", "jobs cannot have launchers: "},
    {kNetworkNoneFeature, "network", "jobs may be cut off from the network",
     "jobs cannot be cut off from the network: "},
    {kSquashfsFeature, "squashfs", "images may be squashfs files",
     "images cannot be squashfs files: "},
    {kStageOnlyFeature, "staging", "jobs may only stage", "jobs cannot only stage: "},
};

Words WordsOf(const std::string& feature) {
  const Words* const found = std::ranges::find(kWords, feature, &Words::feature);
  GP_ASSERT(found != std::end(kWords), "doctor has words for each feature");
  return *found;
}

std::vector<DoctorCheck> Checks(const std::vector<TriedFeature>& tried) {
  std::vector<DoctorCheck> checks;
  for (const auto& [feature, missing] : tried) {
    const Words words = WordsOf(feature);
    if (missing.empty()) {
      checks.push_back({words.check, Finding::kOk, words.offered, ""});
    } else {
      checks.push_back(
          {words.check, Finding::kWarn, words.lacking + missing,
           "run the agent as root of the machine, on Linux 5.12 or newer; images need "
           "the module overlay, their layers libarchive13, registries skopeo, squashfs "
           "files squashfs-tools-ng"});
    }
  }
  return checks;
}

}  // namespace

std::vector<DoctorCheck> CheckFeatures(const std::string& state) {
  std::error_code failed;
  const bool has_state = !state.empty() && std::filesystem::is_directory(state, failed);
  std::string directory = (has_state ? state : "/tmp") + "/doctor-XXXXXX";
  const bool is_made = mkdtemp(directory.data()) != nullptr;
  // The supervisor looks for the directory of an image as a user would.
  if (is_made) chmod(directory.c_str(), 0711);
  const auto tried = TryAllFeatures(directory, directory);
  if (is_made) std::filesystem::remove_all(directory, failed);
  if (tried) return Checks(*tried);
  return {{"images", Finding::kWarn, "cannot be tried: " + tried.error().message,
           "run doctor as the user of the agent"}};
}

}  // namespace gp
