#include "application/agent/staging_runner.h"

#include <algorithm>

#include "application/agent/launch.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// What the image sets comes after what the job and the platform set, and before the defaults.
void AddEnvironment(const UnpackedImage& image, std::vector<std::string>& environment) {
  const auto add = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool is_set = std::ranges::any_of(environment, [&](const std::string& other) {
      return other.size() > name.size() && other[name.size()] == '=' && other.starts_with(name);
    });
    if (!is_set && !IsReservedVariable(name)) environment.emplace_back(variable);
  };
  for (const std::string& variable : image.environment) add(variable);
  for (const char* variable : kDefaultEnvironment) add(variable);
}

EndCause CauseOf(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? EndCause::kCouldNotStart
                                                   : EndCause::kPlatformFault;
}

}  // namespace

StagingRunner::StagingRunner(ImageStore& images, AttemptRunner& runner)
    : WrappingRunner(runner, "its image"), images_(images) {
  WakeAlsoBy(images_.EventDescriptor());
  for (const AttemptStatus& status : runner_.Observe()) {
    if (status.launch != nullptr && !status.launch->image_layers.empty())
      images_.Keep(status.key, status.launch->image_layers);
  }
}

Status StagingRunner::Start(const LaunchSpec& spec) {
  if (!spec.layout_image) return runner_.Start(spec);
  if (pending_.Knows(spec.key)) return Fail(Conflict("attempt " + spec.key + " exists already"));
  pending_.Add(spec);
  StartWaiting();
  return Ok();
}

void StagingRunner::StartWaiting() {
  for (const LaunchSpec& spec : pending_.Waiting()) {
    const auto prepared = images_.Prepare(spec);
    if (!prepared) continue;
    if (*prepared) {
      StartIn(spec, **prepared);
    } else {
      GiveUp(spec, CauseOf(prepared->error()), prepared->error().message);
    }
  }
}

void StagingRunner::StartIn(const LaunchSpec& spec, const UnpackedImage& image) {
  LaunchSpec launch = spec;
  launch.layout_image.reset();
  launch.image_layers = image.layers;
  AddEnvironment(image, launch.environment);
  launch.environment.push_back("GP_IMAGE_DIGEST=" + image.digest);
  if (!launch.has_own_working_directory && image.working_directory.starts_with('/'))
    launch.working_directory = image.working_directory;
  pending_.Leave(spec.key);
  if (const Status started = runner_.Start(launch); !started)
    GiveUp(spec, EndCause::kPlatformFault, started.error().message);
}

void StagingRunner::GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message) {
  pending_.GiveUp(spec, cause, message);
  images_.Release(spec.key);
}

void StagingRunner::Stop(const std::string& key, Duration grace) {
  if (!pending_.Stop(key)) return runner_.Stop(key, grace);
  images_.Release(key);
}

std::vector<AttemptStatus> StagingRunner::Observe() {
  images_.ClearEvents();
  StartWaiting();
  std::vector<AttemptStatus> statuses = runner_.Observe();
  pending_.AppendTo(statuses);
  return statuses;
}

Status StagingRunner::Forget(const std::string& key) {
  if (pending_.Forget(key)) return Ok();
  GP_CHECK_OK(runner_.Forget(key));
  images_.Release(key);
  return Ok();
}

}  // namespace gp
