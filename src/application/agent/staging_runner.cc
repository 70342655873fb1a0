#include "application/agent/staging_runner.h"

#include "application/agent/launch/launch.h"

namespace gp {
namespace {

EndCause CauseOf(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? EndCause::kCouldNotStart
                                                   : EndCause::kPlatformFault;
}

int64_t ToDo(const StagingProgress& progress) { return progress.bytes_total - progress.bytes; }

}  // namespace

StagingRunner::StagingRunner(ImageStore& images, DataStore& data, AttemptRunner& runner)
    : WrappingRunner(runner, "its image or data"), images_(images), data_(data) {
  WakeAlsoBy(images_.EventDescriptor());
  WakeAlsoBy(data_.EventDescriptor());
  for (const AttemptStatus& status : runner_.Observe()) {
    if (status.launch == nullptr) continue;
    if (!status.launch->image_layers.empty()) images_.Keep(status.key, status.launch->image_layers);
    std::vector<std::string> paths;
    for (const HostDirectory& one : status.launch->host_directories) {
      if (one.is_of_agent) paths.push_back(one.path);
    }
    if (!paths.empty()) data_.Keep(status.key, paths);
  }
}

Status StagingRunner::Start(const LaunchSpec& spec) {
  const bool passes = !spec.layered_image && spec.sources.empty() && !spec.stage_only;
  if (passes) return runner_.Start(spec);
  if (pending_.Knows(spec.key)) return Fail(Conflict("attempt " + spec.key + " exists already"));
  pending_.Add(spec);
  StartWaiting();
  return Ok();
}

void StagingRunner::StartWaiting() {
  for (const LaunchSpec& spec : pending_.Waiting()) {
    // Both are prepared at the same time.
    const auto data = DataFor(spec);
    if (!pending_.Waits(spec.key)) continue;
    const auto image = ImageFor(spec);
    if (image && data) StartIn(spec, *image, *data);
  }
}

std::optional<UnpackedImage> StagingRunner::ImageFor(const LaunchSpec& spec) {
  if (!spec.layered_image) return UnpackedImage{};
  const bool is_fixed = !spec.layered_image->digest.empty();
  if (!is_fixed && !spec.layered_image->resolves) return std::nullopt;
  // Layers are unpacked while the digest is being fixed: it is nearly always this one.
  auto prepared = images_.Prepare(spec);
  if (prepared && !*prepared) GiveUp(spec, CauseOf(prepared->error()), prepared->error().message);
  if (!prepared || !*prepared || !is_fixed) return std::nullopt;
  return **std::move(prepared);
}

std::optional<std::vector<std::string>> StagingRunner::DataFor(const LaunchSpec& spec) {
  if (spec.sources.empty()) return std::vector<std::string>{};
  auto prepared = data_.Prepare(spec);
  if (prepared && !*prepared) GiveUp(spec, CauseOf(prepared->error()), prepared->error().message);
  if (!prepared || !*prepared) return std::nullopt;
  return **std::move(prepared);
}

// The tag may have been moved since the digest was fixed, or may not have been read yet.
void StagingRunner::FixImage(const std::string& key, const std::string& digest) {
  if (!pending_.Waits(key)) return runner_.FixImage(key, digest);
  if (!pending_.WaitingLaunch(key).layered_image) return;
  LayeredImage& image = *pending_.WaitingLaunch(key).layered_image;
  if (!image.digest.empty()) return;
  if (images_.DigestOf(key) != digest) images_.Release(key);
  image.digest = digest;
  StartWaiting();
}

void StagingRunner::StartIn(const LaunchSpec& spec, const UnpackedImage& image,
                            const std::vector<std::string>& data) {
  if (spec.stage_only) {
    pending_.Complete(spec);
    return Release(spec.key);
  }
  LaunchSpec launch = spec;
  if (spec.layered_image) CompleteLaunch(image, launch);
  CompleteLaunch(data, launch);
  pending_.Leave(spec.key);
  if (const Status started = runner_.Start(launch); !started)
    GiveUp(spec, EndCause::kPlatformFault, started.error().message);
}

void StagingRunner::GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message) {
  pending_.GiveUp(spec, cause, message);
  Release(spec.key);
}

void StagingRunner::Release(const std::string& key) {
  images_.Release(key);
  data_.Release(key);
}

void StagingRunner::Stop(const std::string& key, Duration grace) {
  if (!pending_.Stop(key)) return runner_.Stop(key, grace);
  Release(key);
}

std::vector<AttemptStatus> StagingRunner::Observe() {
  images_.ClearEvents();
  data_.ClearEvents();
  StartWaiting();
  std::vector<AttemptStatus> statuses = runner_.Observe();
  pending_.AppendTo(statuses);
  AddStages(statuses);
  return statuses;
}

void StagingRunner::AddStages(std::vector<AttemptStatus>& statuses) {
  for (AttemptStatus& status : statuses) {
    if (!pending_.Waits(status.key)) continue;
    status.staging = StageOf(status);
    if (!status.launch->layered_image) continue;
    const LayeredImage& image = *status.launch->layered_image;
    if (image.digest.empty() && image.resolves) status.image_digest = images_.DigestOf(status.key);
  }
}

// Of an image and data, that which has more left to do.
StagingProgress StagingRunner::StageOf(const AttemptStatus& status) {
  StagingProgress of_data;
  if (!status.launch->sources.empty()) of_data = data_.ProgressOf(status.key);
  if (!status.launch->layered_image) return of_data;
  StagingProgress of_image = images_.ProgressOf(status.key);
  of_image.what = "image " + ReferenceOf(*status.launch->layered_image);
  return of_data.what.empty() || ToDo(of_image) > ToDo(of_data) ? of_image : of_data;
}

Status StagingRunner::Forget(const std::string& key) {
  if (pending_.Forget(key)) return Ok();
  GP_CHECK_OK(runner_.Forget(key));
  Release(key);
  return Ok();
}

}  // namespace gp
