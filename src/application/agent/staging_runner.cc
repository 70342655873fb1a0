#include "application/agent/staging_runner.h"

#include "application/agent/launch/launch.h"

namespace gp {
namespace {

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
  if (!spec.layered_image) return runner_.Start(spec);
  if (pending_.Knows(spec.key)) return Fail(Conflict("attempt " + spec.key + " exists already"));
  pending_.Add(spec);
  StartWaiting();
  return Ok();
}

void StagingRunner::StartWaiting() {
  for (const LaunchSpec& spec : pending_.Waiting()) {
    const bool is_fixed = !spec.layered_image->digest.empty();
    if (!is_fixed && !spec.layered_image->resolves) continue;
    // Layers are unpacked while the digest is being fixed: it is nearly always this one.
    const auto prepared = images_.Prepare(spec);
    if (!prepared) continue;
    if (!*prepared) {
      GiveUp(spec, CauseOf(prepared->error()), prepared->error().message);
    } else if (is_fixed) {
      StartIn(spec, **prepared);
    }
  }
}

// The tag may have been moved since the digest was fixed, or may not have been read yet.
void StagingRunner::FixImage(const std::string& key, const std::string& digest) {
  if (!pending_.Waits(key)) return runner_.FixImage(key, digest);
  LayeredImage& image = *pending_.WaitingLaunch(key).layered_image;
  if (!image.digest.empty()) return;
  if (images_.DigestOf(key) != digest) images_.Release(key);
  image.digest = digest;
  StartWaiting();
}

void StagingRunner::StartIn(const LaunchSpec& spec, const UnpackedImage& image) {
  LaunchSpec launch = spec;
  CompleteLaunch(image, launch);
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
  AddDigests(statuses);
  return statuses;
}

void StagingRunner::AddDigests(std::vector<AttemptStatus>& statuses) {
  for (AttemptStatus& status : statuses) {
    if (!pending_.Waits(status.key)) continue;
    const LayeredImage& image = *status.launch->layered_image;
    if (image.digest.empty() && image.resolves) status.image_digest = images_.DigestOf(status.key);
  }
}

Status StagingRunner::Forget(const std::string& key) {
  if (pending_.Forget(key)) return Ok();
  GP_CHECK_OK(runner_.Forget(key));
  images_.Release(key);
  return Ok();
}

}  // namespace gp
