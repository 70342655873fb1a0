#include "domain/model/nodes/features.h"

#include "base/text.h"
#include "domain/model/jobs/image_reference.h"

namespace gp {
namespace {

struct Feature {
  const char* name;
  bool (*is_needed)(const JobSpec& spec);
};

constexpr Feature kFeatures[] = {
    {kImagesFeature, [](const JobSpec& spec) { return !spec.program.image.empty(); }},
    {kImageLayersFeature, [](const JobSpec& spec) { return HasLayers(spec.program.image); }},
    {kImagePullFeature, [](const JobSpec& spec) { return IsPulled(spec.program.image); }},
    {kSquashfsFeature, [](const JobSpec& spec) { return IsSquashfs(spec.program.image); }},
    {kNetworkNoneFeature,
     [](const JobSpec& spec) { return spec.program.network == NetworkAccess::kNone; }},
    {kLaunchersFeature,
     [](const JobSpec& spec) { return spec.program.launcher != Launcher::kNone; }},
    {kGraphicsFeature, [](const JobSpec& spec) { return spec.program.graphics; }},
    {kDataFeature,
     [](const JobSpec& spec) {
       return !spec.program.stage.empty() || !spec.program.artifacts.empty() ||
              !spec.recovery.checkpoint.copy_to.empty();
     }},
    {kStageOnlyFeature, [](const JobSpec& spec) { return spec.program.stage_only; }},
};

bool IsName(const std::string& text) {
  return !text.empty() && text.size() <= kFeatureLengthMax &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

}  // namespace

std::set<std::string> AllFeatures() {
  std::set<std::string> all;
  for (const Feature& feature : kFeatures) all.insert(feature.name);
  return all;
}

std::set<std::string> FeaturesFor(const JobSpec& spec) {
  std::set<std::string> needed;
  for (const Feature& feature : kFeatures) {
    if (feature.is_needed(spec)) needed.insert(feature.name);
  }
  return needed;
}

std::string MissingFeature(const JobSpec& spec, const NodeFacts& facts) {
  for (const Feature& feature : kFeatures) {
    if (feature.is_needed(spec) && !facts.features.contains(feature.name)) return feature.name;
  }
  return "";
}

Status ValidateFeatures(const std::set<std::string>& features) {
  if (features.size() > kFeaturesMax) {
    return Fail(InvalidArgument("more than " + std::to_string(kFeaturesMax) + " features"));
  }
  for (const std::string& name : features) {
    if (!IsName(name)) {
      return Fail(InvalidArgument("\"" + Printable(name, kFeatureLengthMax) +
                                  "\" is no name of a feature"));
    }
  }
  return Ok();
}

}  // namespace gp
