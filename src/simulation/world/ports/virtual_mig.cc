#include "simulation/world/ports/virtual_mig.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

bool IsAt(const MigPart& a, const MigPart& b) { return a.start == b.start && a.slices == b.slices; }

}  // namespace

void MigHardware::CheckUnused(const MigPart& part, const std::string& what) {
  for (const LeaseId lease : programs_.AliveOn(host_, part.gpu)) {
    if (!Overlap(programs_.Find(lease)->mig, part)) continue;
    findings_.Break(timeline_.now(), what + " slice " + std::to_string(part.start) + " of GPU " +
                                         std::to_string(part.gpu) + " while " + ToText(lease) +
                                         " runs there");
  }
}

void MigHardware::RemoveIf(int gpu, const std::function<bool(const MigPart&)>& is_meant) {
  std::erase_if(standing_[gpu], [&](const MigPart& one) {
    if (!is_meant(one)) return false;
    CheckUnused(one, "an instance is removed at");
    return true;
  });
}

int MigHardware::Make(const MigPart& part) {
  const MigTable& table = plan_.facts->gpus[static_cast<size_t>(part.gpu)].mig;
  const MigProfile* profile = table.Find(part.profile);
  const bool is_legal = profile != nullptr && profile->memory_slices == part.slices &&
                        (profile->starts >> part.start & 1) != 0;
  if (!is_legal)
    findings_.Break(timeline_.now(), "GPU " + std::to_string(part.gpu) + " cannot have profile " +
                                         std::to_string(part.profile) + " at slice " +
                                         std::to_string(part.start));
  CheckUnused(part, "an instance is made at");
  RemoveIf(part.gpu, [&](const MigPart& one) { return Overlap(one, part); });
  MigPart made = part;
  made.instance = ++last_instance_;
  standing_[part.gpu].push_back(made);
  return made.instance;
}

void MigHardware::Remove(const MigPart& part) {
  RemoveIf(part.gpu, [&](const MigPart& one) { return IsAt(one, part); });
}

void MigHardware::KeepOnly(int gpu, const std::vector<MigPart>& parts) {
  RemoveIf(gpu, [&](const MigPart& one) {
    return std::ranges::none_of(parts, [&](const MigPart& kept) { return IsAt(kept, one); });
  });
}

VirtualMig::~VirtualMig() {
  for (const auto& [number, what] : std::exchange(*begun_, {})) {
    if (rng_.Chance(1, 2)) what();
  }
}

void VirtualMig::Later(int gpu, std::function<void()> what) {
  const uint64_t number = ++last_begun_;
  begun_->emplace(number, std::move(what));
  Instant& busy_until = busy_until_[gpu];
  busy_until = std::max(busy_until, timeline_.now()) +
               Duration::Milliseconds(rng_.Between(50, rng_.Chance(1, 10) ? 5'000 : 500));
  timeline_.At(busy_until, [begun = std::weak_ptr(begun_), number] {
    const auto still = begun.lock();
    if (still == nullptr) return;
    const auto found = still->extract(number);
    if (!found.empty()) found.mapped()();
  });
}

std::optional<Result<MigDevice>> VirtualMig::Make(const std::string& key, const MigPart& part) {
  const auto [asked, is_new] = asked_.try_emplace(key);
  if (!is_new) return asked->second;
  Later(part.gpu, [this, key, part] {
    const auto still = asked_.find(key);
    if (still == asked_.end()) return;
    if (rng_.Chance(1, 20)) {
      still->second = Fail(Unavailable("the driver does not answer"));
    } else {
      const int instance = hardware_.Make(part);
      still->second = MigDevice{"MIG-" + std::to_string(instance), instance, {}};
    }
    changed_();
  });
  return std::nullopt;
}

void VirtualMig::Remove(const std::string& key, const MigPart& part) {
  asked_.erase(key);
  Later(part.gpu, [this, part] { hardware_.Remove(part); });
}

void VirtualMig::KeepOnly(int gpu, const std::vector<MigPart>& parts) {
  Later(gpu, [this, gpu, parts] { hardware_.KeepOnly(gpu, parts); });
}

}  // namespace gp
