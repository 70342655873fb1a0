#include "application/archive/archive_way.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gp {
namespace {

// A record and the chain there, which a way may pass.
using Point = std::pair<uint64_t, uint64_t>;
// How each reachable point is reached; nullptr: there a way begins.
using Reached = std::map<Point, const RecordsName*>;

// Objects are in the order of their first records, so whatever leads to one comes before it.
void Extend(Reached& reached, const Named<RecordsName>& records) {
  for (const auto& [name, object] : records) {
    if (reached.contains({name.first - 1, name.chain_before}))
      reached.emplace(Point{name.last, name.chain_after}, &name);
  }
}

std::string RangeText(uint64_t first, uint64_t last) {
  return first == last ? "record " + std::to_string(first)
                       : "records " + std::to_string(first) + " to " + std::to_string(last);
}

std::vector<SnapshotName> Beginnings(const LineageObjects& objects) {
  std::vector<SnapshotName> all{SnapshotName{}};
  for (const auto& [name, object] : objects.snapshots) all.push_back(name);
  return all;
}

}  // namespace

ArchiveWay WayFrom(const SnapshotName& from, const Named<RecordsName>& records) {
  const Point begin{from.sequence, from.chain};
  Reached reached{{begin, nullptr}};
  Extend(reached, records);
  const Point end = reached.rbegin()->first;
  ArchiveWay way{from, {}, end.first, end.second};
  for (Point at = end; reached.at(at) != nullptr;) {
    const RecordsName& name = *reached.at(at);
    way.records.push_back(name);
    at = {name.first - 1, name.chain_before};
  }
  std::ranges::reverse(way.records);
  return way;
}

ArchiveWay BestWay(const LineageObjects& objects, bool from_oldest) {
  ArchiveWay best;
  for (const SnapshotName& from : Beginnings(objects)) {
    ArchiveWay way = WayFrom(from, objects.records);
    const bool is_better = way.last > best.last || (way.last == best.last && !from_oldest);
    if (is_better) best = std::move(way);
  }
  return best;
}

std::vector<std::string> GapsOf(const LineageObjects& objects) {
  std::vector<std::string> gaps;
  std::set<Point> reached;
  for (const SnapshotName& from : Beginnings(objects)) reached.insert({from.sequence, from.chain});
  uint64_t covered = objects.Begin();
  const auto cover = [&](uint64_t first, uint64_t last) {
    if (first > covered + 1) gaps.push_back(RangeText(covered + 1, first - 1));
    covered = std::max(covered, last);
  };
  for (const auto& [name, object] : objects.records) {
    if (!reached.contains({name.first - 1, name.chain_before})) continue;
    reached.insert({name.last, name.chain_after});
    cover(name.first, name.last);
  }
  cover(objects.NewestRecord() + 1, objects.NewestRecord());
  return gaps;
}

}  // namespace gp
