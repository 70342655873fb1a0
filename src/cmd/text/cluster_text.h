#pragma once

// The cluster as text for people.

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "gpu_platform/v1/control.pb.h"
#include "infrastructure/table.h"

namespace gp {

namespace v1 = gpu_platform::v1;

std::string ClusterHeadline(const v1::Cluster& cluster);
// Nodes, below them NUMA nodes, below them GPUs with the jobs that hold them.
Table ClusterTree(const v1::Cluster& cluster);
// One GPU a line, node first.
Table GpuTable(const v1::Cluster& cluster, bool only_free);
Table NodeTable(const v1::Cluster& cluster);

// "H100 80GB" rather than "NVIDIA H100 80GB HBM3".
std::string ShortModel(const std::string& model);
// CUDA compute capability, "9.0". REQUIRES: the cluster was requested with its readings.
std::string ComputeCapabilityText(const v1::Gpu& gpu);
std::string StateText(const v1::Gpu& gpu);
// The jobs that hold some of it, and why it is not simply available.
std::string HoldersText(const v1::Gpu& gpu);
std::string NoteText(const v1::Gpu& gpu);
// With its unit; a dash if the driver does not report it.
template <typename T>
std::string Reading(bool has, T value, const char* unit) {
  return has ? fmt::format("{}{}", value, unit) : kDash;
}

struct FoundGpu {
  const v1::Node* node = nullptr;
  const v1::Gpu* gpu = nullptr;
};
// By UUID, unique prefix, node/index or PCI bus id; empty where not exactly one matches.
FoundGpu FindGpu(const v1::Cluster& cluster, const std::string& text);

}  // namespace gp
