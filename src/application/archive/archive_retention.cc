#include "application/archive/archive_retention.h"

#include <algorithm>

#include "application/archive/archive_way.h"

namespace gp {
namespace {

// Whether the newest record can be restored from a snapshot of this record.
bool LeadsToTheEnd(const LineageObjects& objects, uint64_t sequence) {
  return std::ranges::any_of(objects.snapshots, [&](const auto& one) {
    return one.first.sequence == sequence &&
           WayFrom(one.first, objects.records).last == objects.NewestRecord();
  });
}

}  // namespace

std::optional<uint64_t> NextBegin(const LineageObjects& objects, Instant wall, Duration keep) {
  uint64_t begin = objects.Begin();
  for (const auto& [mark, object] : objects.verified) {
    if (mark.at <= wall - keep && mark.sequence > begin && LeadsToTheEnd(objects, mark.sequence))
      begin = mark.sequence;
  }
  return begin > objects.Begin() ? std::optional(begin) : std::nullopt;
}

std::vector<std::string> Superfluous(uint64_t lineage, const LineageObjects& objects, Instant wall,
                                     Duration keep) {
  const uint64_t begin = objects.Begin();
  std::vector<std::string> names;
  for (const auto& [name, object] : objects.records)
    if (name.last <= begin) names.push_back(NameOf(lineage, name));
  for (const auto& [name, object] : objects.snapshots)
    if (name.sequence < begin) names.push_back(NameOf(lineage, name));
  for (const auto& [name, object] : objects.begins)
    if (name.sequence < begin) names.push_back(NameOf(lineage, name));
  for (const auto& [name, object] : objects.verified)
    if (name.sequence < begin) names.push_back(NameOf(lineage, name));
  const bool may_go = !objects.files.empty() && objects.files.rbegin()->first.at <= wall - keep;
  for (const auto& [name, object] : objects.files)
    if (may_go && name != objects.files.rbegin()->first) names.push_back(NameOf(lineage, name));
  return names;
}

}  // namespace gp
