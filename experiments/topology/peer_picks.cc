#include "experiments/topology/peer_picks.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "domain/placement/choose_gpus.h"

namespace gp {
namespace {

// Moves the lowest `count` cores of `from` into `to`; returns how many are still missing.
int TakeCores(CpuSet& to, const CpuSet& from, int count) {
  const CpuSet taken = from.Lowest(count);
  to = to.Union(taken);
  return count - taken.Count();
}

GpuMask LowestOf(GpuMask from, int count) {
  GpuMask taken = 0;
  for (; from != 0 && std::popcount(taken) < count; from &= from - 1) taken |= from & -from;
  return taken;
}

struct Socket {
  int package = 0;
  int cores = 0;  // free cores
  GpuMask gpus = 0;
  std::vector<size_t> numa;
};

std::vector<Socket> SocketsOf(const Node& node, const std::vector<CpuSet>& free_cores) {
  std::map<int, Socket> sockets;
  for (size_t i = 0; i < free_cores.size(); ++i) {
    Socket& socket = sockets[node.facts->numa[i].package];
    socket.package = node.facts->numa[i].package;
    socket.cores += free_cores[i].Count();
    socket.numa.push_back(i);
  }
  for (GpuMask rest = FreeGpus(node); rest != 0; rest &= rest - 1) {
    const auto numa =
        static_cast<size_t>(node.facts->gpus[static_cast<size_t>(std::countr_zero(rest))].numa);
    sockets[node.facts->numa[numa].package].gpus |= rest & -rest;
  }
  std::vector<Socket> list;
  for (const auto& [package, socket] : sockets) list.push_back(socket);
  return list;
}

}  // namespace

std::vector<CpuSet> FreeCores(const Node& node) {
  std::vector<CpuSet> free;
  for (size_t i = 0; i < node.numa.size(); ++i)
    free.push_back(node.facts->numa[i].cpus.Minus(node.numa[i].cpus_granted));
  return free;
}

bool HasRoom(const Node& node, const HostAsk& ask) {
  int cores = 0;
  for (const CpuSet& free : FreeCores(node)) cores += free.Count();
  return cores >= ask.cpus && std::popcount(FreeGpus(node)) >= ask.gpus;
}

HostPick PickLowest(const Node& node, const HostAsk& ask, Rng&) {
  HostPick pick;
  int lacking = ask.cpus;
  for (const CpuSet& free : FreeCores(node))
    lacking = TakeCores(pick.cores.emplace_back(), free, lacking);
  pick.gpus = LowestOf(FreeGpus(node), ask.gpus);
  return pick;
}

HostPick PickAny(const Node& node, const HostAsk& ask, Rng& rng) {
  HostPick pick;
  std::vector<std::pair<size_t, int>> cores;
  const std::vector<CpuSet> free = FreeCores(node);
  for (size_t i = 0; i < free.size(); ++i) {
    for (const int core : free[i].Members()) cores.emplace_back(i, core);
  }
  pick.cores.resize(free.size());
  for (size_t i = 0; i < static_cast<size_t>(ask.cpus); ++i) {
    std::swap(cores[i], cores[i + rng.Below(cores.size() - i)]);
    pick.cores[cores[i].first].Add(cores[i].second);
  }
  std::vector<GpuMask> gpus;
  for (GpuMask rest = FreeGpus(node); rest != 0; rest &= rest - 1) gpus.push_back(rest & -rest);
  for (size_t i = 0; i < static_cast<size_t>(ask.gpus); ++i) {
    std::swap(gpus[i], gpus[i + rng.Below(gpus.size() - i)]);
    pick.gpus |= gpus[i];
  }
  return pick;
}

HostPick PickBySocket(const Node& node, const HostAsk& ask, Rng&) {
  const std::vector<CpuSet> free = FreeCores(node);
  std::vector<Socket> sockets = SocketsOf(node, free);
  std::ranges::sort(sockets, {}, [&ask](const Socket& socket) {
    return std::tuple(socket.cores < ask.cpus, -std::min(ask.gpus, std::popcount(socket.gpus)),
                      socket.package);
  });
  HostPick pick;
  pick.cores.resize(free.size());
  int lacking = ask.cpus;
  for (const Socket& socket : sockets) {
    if (lacking == 0) break;
    for (const size_t numa : socket.numa)
      lacking = TakeCores(pick.cores[numa], free[numa], lacking);
    pick.gpus |= LowestOf(socket.gpus, ask.gpus - std::popcount(pick.gpus));
  }
  pick.gpus |= LowestOf(FreeGpus(node) & ~pick.gpus, ask.gpus - std::popcount(pick.gpus));
  return pick;
}

}  // namespace gp
