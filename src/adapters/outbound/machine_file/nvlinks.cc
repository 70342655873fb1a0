#include "adapters/outbound/machine_file/nvlinks.h"

#include <algorithm>
#include <map>

#include "adapters/outbound/machine_file/pci_address.h"
#include "base/cpu_set.h"

namespace gp {
namespace {

using LinksByPair = std::map<std::pair<int, int>, GpuLinks>;

void CheckSwitches(YamlSection* section) {
  const std::vector<std::string> switches = section->Texts("switches");
  if (switches.empty()) section->Refuse("switches", "must name at least one PCI address");
  for (const std::string& address : switches) {
    if (!PciAddress::Parse(address)) section->Refuse("switches", "must hold PCI addresses only");
  }
}

CpuSet ReadBoard(YamlSection* board, int gpu_count) {
  const Result<CpuSet> gpus = CpuSet::Parse(board->Text("gpus").value_or(""));
  if (!gpus || gpus->Empty() || gpus->Members().back() >= gpu_count) {
    board->Refuse("gpus", "must be a list of indices of gpus such as \"0-7\"");
  }
  CheckSwitches(board);
  board->Done();
  return gpus ? *gpus : CpuSet();
}

// Without boards, the switches connect all GPUs.
CpuSet ReadSwitchedGpus(YamlSection* section, int gpu_count) {
  CpuSet switched;
  std::vector<YamlSection> boards = section->Maps("boards");
  for (YamlSection& board : boards) switched = switched.Union(ReadBoard(&board, gpu_count));
  if (!boards.empty()) return switched;
  CheckSwitches(section);
  if (gpu_count > 0) switched.AddRange(0, gpu_count - 1);
  return switched;
}

void AddPair(YamlSection* pair, int gpu_count, LinksByPair* links) {
  const std::vector<int64_t> gpus = pair->Counts("gpus");
  const int count = static_cast<int>(pair->Count("links").value_or(1));
  pair->Done();
  if (gpus.size() != 2 || gpus[0] == gpus[1] || std::ranges::max(gpus) >= gpu_count) {
    pair->Refuse("gpus", "must be two different indices of gpus");
    return;
  }
  const auto [low, high] = std::minmax({static_cast<int>(gpus[0]), static_cast<int>(gpus[1])});
  GpuLinks& link = (*links)[{low, high}];
  const int direct = link.through_switch ? 0 : link.link_count;
  link = {low, high, direct + count, false};
}

}  // namespace

std::vector<GpuLinks> ReadNvlinks(YamlSection section, int gpu_count) {
  LinksByPair by_pair;
  const int all = static_cast<int>(section.Count("all").value_or(0));
  section.Skip({"switches", "boards"});
  if (all > 0) {
    const std::vector<int> gpus = ReadSwitchedGpus(&section, gpu_count).Members();
    for (const int a : gpus) {
      for (const int b : gpus) {
        if (a < b) by_pair[{a, b}] = {a, b, all, true};
      }
    }
  }
  for (YamlSection& pair : section.Maps("pairs")) AddPair(&pair, gpu_count, &by_pair);
  section.Done();
  std::vector<GpuLinks> links;
  for (const auto& [pair, link] : by_pair) links.push_back(link);
  return links;
}

}  // namespace gp
