#include "application/agent/mig_runner.h"

#include <algorithm>

namespace gp {
namespace {

bool HasInstance(const LaunchSpec& spec) { return spec.mig.slices > 0; }

// The variables by which programs find the instance in place of its GPU.
void PointAt(const std::string& uuid, std::vector<std::string>& environment) {
  for (const char* name : {"CUDA_VISIBLE_DEVICES=", "NVIDIA_VISIBLE_DEVICES="}) {
    std::erase_if(environment,
                  [&](const std::string& variable) { return variable.starts_with(name); });
    environment.push_back(name + uuid);
  }
}

}  // namespace

MigRunner::MigRunner(const std::vector<int>& divided, MigInstances& instances,
                     AttemptRunner& runner)
    : WrappingRunner(runner, "its MIG instance"), instances_(instances) {
  WakeAlsoBy(instances_.EventDescriptor());
  FollowInstances(runner_.Observe());
  // Removes instances that an earlier agent left behind when it died.
  std::map<int, std::vector<MigPart>> kept;
  for (const auto& [key, part] : used_) kept[part.gpu].push_back(part);
  for (const int gpu : divided) instances_.KeepOnly(gpu, kept[gpu]);
}

Status MigRunner::Start(const LaunchSpec& spec) {
  if (!HasInstance(spec)) return runner_.Start(spec);
  if (pending_.Knows(spec.key)) return Fail(Conflict("attempt " + spec.key + " exists already"));
  pending_.Add(spec);
  StartWaiting();
  return Ok();
}

void MigRunner::StartWaiting() {
  for (const LaunchSpec& spec : pending_.Waiting()) {
    const auto made = instances_.Make(spec.key, spec.mig);
    if (!made) continue;
    if (*made) {
      StartIn(spec, **made);
    } else {
      pending_.GiveUp(spec, EndCause::kPlatformFault, made->error().message);
    }
    if (!pending_.Knows(spec.key)) continue;
    instances_.Remove(spec.key, spec.mig);
  }
}

void MigRunner::StartIn(const LaunchSpec& spec, const MigDevice& device) {
  LaunchSpec launch = spec;
  launch.mig.instance = device.gpu_instance;
  launch.devices.insert(launch.devices.end(), device.devices.begin(), device.devices.end());
  PointAt(device.uuid, launch.environment);
  pending_.Leave(spec.key);
  used_[spec.key] = launch.mig;
  const Status started = runner_.Start(launch);
  if (started) return;
  used_.erase(spec.key);
  pending_.GiveUp(spec, EndCause::kPlatformFault, started.error().message);
}

void MigRunner::Stop(const std::string& key, Duration grace) {
  if (!pending_.Waits(key)) return runner_.Stop(key, grace);
  const MigPart part = pending_.waiting().at(key).mig;
  pending_.Stop(key);
  instances_.Remove(key, part);
}

// A placement is granted again as soon as an end is reported, so the next attempt there may have
// started already.
bool MigRunner::IsInUse(const MigPart& part) const {
  return std::ranges::any_of(used_,
                             [&](const auto& other) { return Overlap(other.second, part); }) ||
         std::ranges::any_of(pending_.waiting(),
                             [&](const auto& other) { return Overlap(other.second.mig, part); });
}

void MigRunner::FollowInstances(const std::vector<AttemptStatus>& statuses) {
  used_.clear();
  for (const AttemptStatus& status : statuses) {
    const bool has = status.launch != nullptr && HasInstance(*status.launch);
    if (has && status.phase != AttemptPhase::kExited) used_[status.key] = status.launch->mig;
  }
  for (const AttemptStatus& status : statuses) {
    const bool has = status.launch != nullptr && HasInstance(*status.launch);
    if (!has || status.phase != AttemptPhase::kExited || !removed_.insert(status.key).second)
      continue;
    if (!IsInUse(status.launch->mig)) instances_.Remove(status.key, status.launch->mig);
  }
}

std::vector<AttemptStatus> MigRunner::Observe() {
  instances_.ClearEvents();
  StartWaiting();
  std::vector<AttemptStatus> statuses = runner_.Observe();
  FollowInstances(statuses);
  pending_.AppendTo(statuses);
  return statuses;
}

Status MigRunner::Forget(const std::string& key) {
  if (pending_.Forget(key)) return Ok();
  GP_CHECK_OK(runner_.Forget(key));
  removed_.erase(key);
  return Ok();
}

std::string MigRunner::AttemptIn(int gpu, int gpu_instance) const {
  const auto found = std::ranges::find_if(used_, [&](const auto& one) {
    return one.second.gpu == gpu && one.second.instance == gpu_instance;
  });
  return found == used_.end() ? std::string() : found->first;
}

}  // namespace gp
