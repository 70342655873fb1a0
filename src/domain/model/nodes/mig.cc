#include "domain/model/nodes/mig.h"

#include <algorithm>
#include <tuple>

#include "domain/model/nodes/gpu.h"

namespace gp {
namespace {

// Calls visit for each start at which an instance of the profile fits beside those in `taken`.
template <typename F>
void ForEachFreeStart(const MigProfile& profile, MigSlices taken, F visit) {
  for (MigSlices rest = profile.starts; rest != 0; rest &= rest - 1) {
    const int start = std::countr_zero(rest);
    if ((SlicesAt(profile, start) & taken) == 0) visit(start);
  }
}

// Memory slices of all remaining placements: larger instances count more.
int PlacesLeft(const MigTable& table, MigSlices taken) {
  int left = 0;
  for (const MigProfile& profile : table.profiles) {
    ForEachFreeStart(profile, taken, [&](int) { left += profile.memory_slices; });
  }
  return left;
}

Status ValidateProfile(const MigTable& table, const MigProfile& profile, int64_t gpu_memory_mib) {
  const auto bad = [&](const char* what) {
    return Fail(InvalidArgument("MIG profile " + std::to_string(profile.id) + ": " + what));
  };
  if (profile.id < 0 || profile.name.size() > 64) return bad("bad id or name");
  if (profile.compute_slices < 1 || profile.compute_slices > table.compute_slices)
    return bad("impossible compute slices");
  if (profile.memory_slices < 1 || profile.memory_slices > table.memory_slices)
    return bad("impossible memory slices");
  if (profile.memory_mib < 1 || profile.memory_mib > gpu_memory_mib)
    return bad("impossible memory size");
  // The last slice of the last placement must be in the GPU.
  const bool is_within =
      static_cast<int>(std::bit_width(profile.starts)) + profile.memory_slices - 1 <=
      table.memory_slices;
  return profile.starts != 0 && is_within ? Ok() : bad("impossible places");
}

}  // namespace

const MigProfile* MigTable::Find(int id) const {
  const auto found = std::ranges::lower_bound(profiles, id, {}, &MigProfile::id);
  return found == profiles.end() || found->id != id ? nullptr : &*found;
}

const MigProfile* MigTable::Smallest(int share, int64_t memory_mib) const {
  const auto size = [](const MigProfile& profile) {
    return std::tuple(profile.memory_slices, profile.compute_slices, profile.id);
  };
  const MigProfile* smallest = nullptr;
  for (const MigProfile& profile : profiles) {
    // In integers: a third of seven slices is more than two of them.
    const bool is_enough = profile.compute_slices * kWholeShare >= share * compute_slices &&
                           profile.memory_mib >= memory_mib;
    if (is_enough && (smallest == nullptr || size(profile) < size(*smallest))) smallest = &profile;
  }
  return smallest;
}

int MigTable::ShareOf(const MigProfile& profile) const {
  return profile.compute_slices * kWholeShare / compute_slices;
}

int MigTable::LossAt(const MigProfile& profile, int start, MigSlices taken) const {
  return PlacesLeft(*this, taken) - PlacesLeft(*this, taken | SlicesAt(profile, start));
}

int MigTable::ChooseStart(const MigProfile& profile, MigSlices taken) const {
  int best = kNoMig;
  int least = 0;
  ForEachFreeStart(profile, taken, [&](int start) {
    const int loss = LossAt(profile, start, taken);
    if (best != kNoMig && loss >= least) return;
    best = start;
    least = loss;
  });
  return best;
}

Status ValidateMigTable(const MigTable& table, int64_t gpu_memory_mib) {
  if (table == MigTable{}) return Ok();
  if (table.profiles.size() > kMigProfilesMax)
    return Fail(InvalidArgument("too many MIG profiles"));
  if (table.memory_slices < 1 || table.memory_slices > kMigSlicesMax || table.compute_slices < 1 ||
      table.compute_slices > kMigSlicesMax) {
    return Fail(InvalidArgument("an impossible number of MIG slices"));
  }
  if (!std::ranges::is_sorted(table.profiles, std::ranges::less_equal(), &MigProfile::id)) {
    return Fail(InvalidArgument("MIG profiles are not in the order of their ids"));
  }
  for (const MigProfile& profile : table.profiles)
    GP_CHECK_OK(ValidateProfile(table, profile, gpu_memory_mib));
  return Ok();
}

}  // namespace gp
