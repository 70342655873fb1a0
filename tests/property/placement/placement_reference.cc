#include "tests/property/placement/placement_reference.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace gp {
namespace {

using Set = std::vector<int>;
using Key = std::vector<int64_t>;

class Book {
 public:
  Book(const Node& node, const JobSpec& spec, std::string user, const PlacementWeights& weights)
      : node_(node), facts_(*node.facts), spec_(spec), user_(std::move(user)), weights_(weights) {}

  std::optional<Set> Best() const {
    std::optional<Set> best;
    Key best_key;
    for (uint32_t bits = 0; bits < (uint32_t{1} << facts_.gpus.size()); ++bits) {
      Set set;
      for (int i = 0; i < static_cast<int>(facts_.gpus.size()); ++i) {
        if ((bits >> i & 1) != 0) set.push_back(i);
      }
      if (!MayBeTaken(set)) continue;
      Key key = KeyOf(set);
      if (best && key >= best_key) continue;
      best = set;
      best_key = key;
    }
    return best;
  }

 private:
  const GpuFacts& Facts(int gpu) const { return facts_.gpus[static_cast<size_t>(gpu)]; }
  const Gpu& Ledger(int gpu) const { return node_.gpus[static_cast<size_t>(gpu)]; }
  bool Shares() const { return spec_.resources.gpus.isolation == Isolation::kTimeslice; }

  // Section 1.
  int64_t MemoryTaken(int gpu) const {
    if (!Shares()) return Facts(gpu).memory_mib;
    if (spec_.resources.gpus.memory_mib > 0) return spec_.resources.gpus.memory_mib;
    return Facts(gpu).memory_mib * spec_.resources.gpus.share_thousandths / 1000;
  }
  int ShareTaken() const {
    if (!Shares()) return 1000;
    return spec_.resources.gpus.share_thousandths == 1000 ? 0
                                                          : spec_.resources.gpus.share_thousandths;
  }
  bool InService(int gpu) const {
    return Ledger(gpu).condition == GpuCondition::kAvailable && !Ledger(gpu).draining;
  }
  bool Free(int gpu) const { return InService(gpu) && Ledger(gpu).leases.empty(); }
  bool Eligible(int gpu) const {
    if (!InService(gpu) || Facts(gpu).memory_mib < spec_.resources.gpus.memory_mib_min)
      return false;
    bool model_fits = spec_.resources.gpus.models.empty();
    for (const std::string& model : spec_.resources.gpus.models) {
      model_fits = model_fits || Facts(gpu).model.find(model) != std::string::npos;
    }
    if (!model_fits) return false;
    if (!Shares()) return Ledger(gpu).leases.empty();
    const bool together = Ledger(gpu).leases.empty() ||
                          (Ledger(gpu).mode == GpuMode::kTimeslice && Ledger(gpu).owner == user_);
    return together && Ledger(gpu).share_granted + ShareTaken() <= 1000 &&
           Ledger(gpu).memory_granted_mib + MemoryTaken(gpu) <= Facts(gpu).memory_mib;
  }

  // Section 2.
  bool OneNumaOnly() const {
    return !spec_.placement.topology.allow_cross_numa ||
           spec_.placement.topology.require == TopologyLevel::kSameNuma;
  }
  std::set<int> NumasOf(const Set& set) const {
    std::set<int> numas;
    for (const int gpu : set) numas.insert(Facts(gpu).numa);
    return numas;
  }
  bool MayBeTaken(const Set& set) const {
    if (static_cast<int>(set.size()) != spec_.resources.gpus.count) return false;
    for (const int gpu : set) {
      if (!Eligible(gpu)) return false;
    }
    if (OneNumaOnly() && NumasOf(set).size() > 1) return false;
    if (spec_.placement.topology.require == TopologyLevel::kNvlink && PairsWithoutLink(set) > 0)
      return false;
    return HostFits(set);
  }

  // Section 3.
  int64_t Locality(const Set& set) const {
    std::set<int> sockets;
    for (const int numa : NumasOf(set))
      sockets.insert(facts_.numa[static_cast<size_t>(numa)].package);
    if (sockets.size() > 1) return 2;
    return NumasOf(set).size() > 1 ? 1 : 0;
  }
  int64_t PairsWithoutLink(const Set& set) const {
    int64_t pairs = 0;
    for (const int a : set) {
      for (const int b : set) pairs += a < b && facts_.LinkCount(a, b) == 0 ? 1 : 0;
    }
    return pairs;
  }
  int64_t AllLinks(const Set& set) const {
    int64_t links = 0;
    for (const int a : set) {
      for (const int b : set) links += a < b ? facts_.LinkCount(a, b) : 0;
    }
    return links;
  }
  std::vector<int> Places() const {
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(facts_.gpus.size()); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
      const int numa_a = Facts(a).numa;
      const int numa_b = Facts(b).numa;
      const int socket_a = facts_.numa[static_cast<size_t>(numa_a)].package;
      const int socket_b = facts_.numa[static_cast<size_t>(numa_b)].package;
      return socket_a != socket_b ? socket_a < socket_b : numa_a < numa_b;
    });
    return order;
  }
  int64_t FreeBlocks(size_t size, const Set& taken) const {
    const std::vector<int> places = Places();
    int64_t blocks = 0;
    for (size_t begin = 0; begin + size <= places.size(); begin += size) {
      bool all_free = true;
      for (size_t i = begin; i < begin + size; ++i) {
        all_free =
            all_free && Free(places[i]) && std::count(taken.begin(), taken.end(), places[i]) == 0;
      }
      blocks += all_free ? 1 : 0;
    }
    return blocks;
  }
  Key KeyOf(const Set& set) const {
    Key key = {Weighed(set), Locality(set), PairsWithoutLink(set)};
    if (spec_.placement.topology.prefer == TopologyLevel::kNvlink) std::swap(key[1], key[2]);
    key.push_back(-AllLinks(set));
    int64_t opened = 0;
    int64_t share_left = 0;
    int64_t number = 0;
    for (const int gpu : set) {
      opened += Free(gpu) ? 1 : 0;
      share_left += 1000 - Ledger(gpu).share_granted;
      number += int64_t{1} << gpu;
    }
    if (Shares()) key.push_back(opened);
    for (const size_t size : {64, 32, 16, 8, 4, 2, 1}) {
      key.push_back(FreeBlocks(size, {}) - FreeBlocks(size, set));
    }
    if (Shares()) key.push_back(share_left);
    key.push_back(number);
    return key;
  }

  // Section 6.
  int64_t FreeCount(const Set& taken) const {
    int64_t count = 0;
    for (int gpu = 0; gpu < static_cast<int>(facts_.gpus.size()); ++gpu) {
      count += Free(gpu) && std::count(taken.begin(), taken.end(), gpu) == 0 ? 1 : 0;
    }
    return count;
  }
  int64_t Stranded(const Set& taken) const {
    int64_t stranded = 0;
    for (size_t size = 2; size <= facts_.gpus.size(); size *= 2) {
      stranded += FreeCount(taken) - static_cast<int64_t>(size) * FreeBlocks(size, taken);
    }
    return stranded;
  }
  int64_t Weighed(const Set& set) const {
    int64_t held = 0;
    for (const Gpu& gpu : node_.gpus) held += gpu.leases.empty() ? 0 : 1;
    int64_t beyond = 0;
    for (const int gpu : set) {
      beyond += Facts(gpu).memory_mib -
                std::max(spec_.resources.gpus.memory_mib_min, spec_.resources.gpus.memory_mib);
    }
    const int64_t stranded = Stranded(set) - Stranded({});
    return weights_.numa * Locality(set) + weights_.nvlink * PairsWithoutLink(set) +
           weights_.fragmentation * (Shares() ? std::max<int64_t>(stranded, 0) : stranded) +
           weights_.best_fit * FreeCount({}) + weights_.spread * held +
           weights_.model_fit * (beyond / 1024);
  }

  // Section 4.
  bool HostFits(const Set& set) const {
    int64_t all_cores = 0, all_memory = 0, cores = 0, memory = 0;
    for (size_t i = 0; i < facts_.numa.size(); ++i) {
      const NumaFacts& numa = facts_.numa[i];
      all_cores += numa.cpus.Count();
      all_memory += numa.memory_mib;
      const bool of_the_set = set.empty() || NumasOf(set).contains(static_cast<int>(i));
      if (OneNumaOnly() && !of_the_set) continue;
      for (const int cpu : numa.cpus.Members())
        cores += node_.numa[i].cpus_granted.Contains(cpu) ? 0 : 1;
      memory += numa.memory_mib - node_.numa[i].memory_granted_mib;
    }
    const auto gpus = static_cast<int64_t>(facts_.gpus.size());
    int64_t cores_needed = spec_.resources.cpus;
    int64_t memory_needed = (spec_.resources.memory_bytes + 1'048'575) / 1'048'576;
    if (spec_.resources.gpus.count > 0) {
      if (spec_.resources.cpus == 0 && !Shares())
        cores_needed = all_cores * spec_.resources.gpus.count / gpus;
      if (spec_.resources.memory_bytes == 0) {
        memory_needed =
            all_memory / gpus * spec_.resources.gpus.count * MemoryTaken(0) / Facts(0).memory_mib;
      }
    }
    return cores_needed <= cores && memory_needed <= memory;
  }

  const Node& node_;
  const NodeFacts& facts_;
  const JobSpec& spec_;
  std::string user_;
  PlacementWeights weights_;
};

}  // namespace

std::optional<std::vector<int>> BestSetByTheBook(const Node& node, const JobSpec& spec,
                                                 const std::string& user,
                                                 const PlacementWeights& weights) {
  return Book(node, spec, user, weights).Best();
}

}  // namespace gp
