#include "application/agent/mig_layout.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

std::string NamesOf(const MigTable& table) {
  std::vector<std::string> names;
  for (const MigProfile& profile : table.profiles) names.push_back(profile.name);
  return Join(names, ", ");
}

}  // namespace

Result<MigTable> ConfineTo(const MigTable& table, const std::vector<std::string>& profiles) {
  std::vector<const MigProfile*> wanted;
  for (const std::string& name : profiles) {
    const auto found = std::ranges::find(table.profiles, name, &MigProfile::name);
    if (found == table.profiles.end())
      return Fail(InvalidArgument("it has no MIG profile " + Printable(name, 60) + "; it has " +
                                  NamesOf(table)));
    wanted.push_back(&*found);
  }
  // Large profiles first, because they have few possible placements.
  std::ranges::stable_sort(wanted, std::ranges::greater(), &MigProfile::memory_slices);
  MigTable confined = table;
  for (MigProfile& profile : confined.profiles) profile.starts = 0;
  MigSlices taken = 0;
  int compute_left = table.compute_slices;
  for (const MigProfile* profile : wanted) {
    const int start = table.ChooseStart(*profile, taken);
    compute_left -= profile->compute_slices;
    if (start == kNoMig || compute_left < 0)
      return Fail(
          InvalidArgument("MIG instances " + Join(profiles, ", ") + " do not fit on it together"));
    taken |= SlicesAt(*profile, start);
    std::ranges::find(confined.profiles, profile->id, &MigProfile::id)->starts |= MigSlices{1}
                                                                                  << start;
  }
  std::erase_if(confined.profiles, [](const MigProfile& profile) { return profile.starts == 0; });
  return confined;
}

}  // namespace gp
