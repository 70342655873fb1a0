#include "domain/scheduling/reasons/never_fits.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/model/jobs/variants.h"
#include "domain/model/nodes/features.h"
#include "domain/model/nodes/gpu_model.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

Job With(const Job& job, const std::function<void(JobSpec&)>& edit) {
  Job changed = job;
  JobSpec spec = *job.spec;
  edit(spec);
  changed.spec = std::make_shared<const JobSpec>(std::move(spec));
  return changed;
}

bool AnyFits(std::span<const Node> nodes, const Job& job) {
  return std::ranges::any_of(nodes, [&](const Node& node) { return Fits(node, job); });
}

// `largest`: bytes; 0: there is none.  Sizes that look alike are given in MiB.
std::string TooMuchMemory(int64_t wanted, int64_t largest) {
  const auto text = [alike = BytesToText(wanted) == BytesToText(largest)](int64_t bytes) {
    return alike ? std::to_string(bytes / kMib) + " MiB" : BytesToText(bytes);
  };
  return " has " + text(wanted) + " of memory" +
         (largest == 0 ? "" : "; the largest has " + text(largest));
}

// With the article as the name is spoken: "an A100", "a V100".
std::string WithArticle(const std::string& name) {
  const bool is_vowel =
      !name.empty() && std::string_view("AEFHILMNORSXaefhilmnorsx8").contains(name.front());
  return (is_vowel ? "an " : "a ") + name;
}

// Explains which part of a request no node meets. Each part is checked only on what meets the parts
// before it.
class Lack {
 public:
  Lack(std::span<const Node> nodes, const Job& job)
      : job_(job), request_(job.spec->resources.gpus) {
    for (const Node& node : nodes) {
      if (MayUse(job, node)) nodes_.push_back(node);
    }
    all_ = nodes;
  }

  std::string Tell() const {
    if (nodes_.empty()) return OfNodes();
    if (request_.count > 0) {
      for (const auto part : {&Lack::OfModel, &Lack::OfMode, &Lack::OfMemory, &Lack::OfCount}) {
        if (std::string text = (this->*part)(); !text.empty()) return text;
      }
    }
    if (AnyFits(nodes_, job_)) return "";
    return AnyFits(nodes_, AnyNetwork()) ? OfNetwork() : OfHost();
  }

 private:
  template <typename F>
  void ForEachGpu(const F& visit) const {
    for (const Node& node : nodes_) {
      for (const GpuFacts& gpu : node.facts->gpus) {
        if (gpu.presence != GpuPresence::kRetired) visit(gpu);
      }
    }
  }
  bool IsOfModel(const GpuFacts& gpu) const {
    return request_.models.empty() ||
           std::ranges::any_of(request_.models, [&](const std::string& model) {
             return NamesModel(model, gpu.model);
           });
  }
  bool IsByMig() const { return request_.isolation == Isolation::kMig; }
  // Whether the GPU is in the mode that the job needs.
  bool IsInMode(const GpuFacts& gpu) const {
    return IsByMig() ? !gpu.mig.empty()
                     : gpu.mig.empty() && (request_.isolation != Isolation::kMps || gpu.mps);
  }
  std::string Gpu() const {
    return request_.models.empty() ? "GPU" : Join(request_.models, " or ");
  }

  std::string OfNodes() const {
    if (std::ranges::none_of(all_, [&](const Node& node) { return node.pool == job_.pool; }))
      return "no node is in pool " + job_.pool;
    const std::string in_pool = job_.pool == kDefaultPool ? "" : " in pool " + job_.pool;
    for (const auto& [name, value] : job_.spec->placement.node_labels) {
      const auto has_it = [&](const Node& node) {
        const auto found = node.labels.find(name);
        return node.pool == job_.pool && found != node.labels.end() && found->second == value;
      };
      if (std::ranges::none_of(all_, has_it))
        return "no node" + in_pool + " has the label " + name + "=" + value;
    }
    for (const std::string& feature : FeaturesFor(*job_.spec)) {
      const auto offers_it = [&](const Node& node) {
        return node.pool == job_.pool && node.facts->features.contains(feature);
      };
      if (std::ranges::none_of(all_, offers_it)) return "no node" + in_pool + " offers " + feature;
    }
    const std::string& reservation = job_.spec->placement.reservation;
    return "no node" + in_pool + " has all of its labels and features" +
           (reservation.empty() ? "" : " and is in reservation " + reservation);
  }

  std::string OfModel() const {
    std::set<std::string> models;
    bool is_there = false;
    ForEachGpu([&](const GpuFacts& gpu) {
      models.insert(gpu.model);
      is_there = is_there || IsOfModel(gpu);
    });
    if (is_there) return "";
    if (models.empty()) return "no node" + Where(job_) + " has a GPU";
    const std::vector<std::string> there(models.begin(), models.end());
    return "no node" + Where(job_) + " has " + WithArticle(Gpu()) + "; the GPUs are " +
           Join(there, ", ");
  }

  std::string OfMode() const {
    bool is_there = false;
    ForEachGpu(
        [&](const GpuFacts& gpu) { is_there = is_there || (IsOfModel(gpu) && IsInMode(gpu)); });
    if (is_there) return "";
    if (IsByMig()) return "no " + Gpu() + " is in MIG mode";
    bool is_whole = false;
    ForEachGpu(
        [&](const GpuFacts& gpu) { is_whole = is_whole || (IsOfModel(gpu) && gpu.mig.empty()); });
    return is_whole ? "no node offers MPS on its GPUs" : "every " + Gpu() + " is in MIG mode";
  }

  std::string OfMemory() const {
    const int64_t wanted = std::max(request_.memory_mib, request_.memory_mib_min);
    int64_t largest = 0;
    ForEachGpu([&](const GpuFacts& gpu) {
      if (!IsOfModel(gpu) || !IsInMode(gpu)) return;
      if (!IsByMig()) largest = std::max(largest, gpu.memory_mib);
      for (const MigProfile& profile : gpu.mig.profiles)
        largest = std::max(largest, profile.memory_mib);
    });
    if (wanted <= largest) return "";
    const std::string what =
        IsByMig()
            ? (request_.models.empty() ? "MIG instance" : "MIG instance of " + WithArticle(Gpu()))
            : Gpu();
    return "no " + what + TooMuchMemory(wanted * kMib, largest * kMib);
  }

  std::string OfCount() const {
    int most = 0;
    size_t gpus = 0;
    for (const Node& node : nodes_) {
      most = std::max(most, std::popcount(EligibleGpus(node, job_)));
      gpus = std::max(gpus, static_cast<size_t>(node.facts->CountGpus()));
    }
    if (most >= request_.count) return "";
    if (most == 0 && IsByMig()) return "no MIG instance is as large as requested";
    const std::string such = static_cast<size_t>(most) == gpus ? "" : "such ";
    const std::string hint = job_.spec->resources.nodes == 1 && job_.spec->resources.any_of.empty()
                                 ? " (request several nodes: --nodes 2)"
                                 : "";
    return "no node" + Where(job_) + " has " + Count(request_.count, such + "GPU") +
           "; the largest has " + std::to_string(most) + hint;
  }

  Job AnyNetwork() const {
    return With(job_, [](JobSpec& spec) { spec.placement.topology.network_levels = 0; });
  }

  std::string OfNetwork() const {
    return "no node has a label network with " +
           Count(job_.spec->placement.topology.network_levels, "level") +
           ", as its topology requires";
  }

  // REQUIRES: the GPUs are there.
  std::string OfHost() const {
    const Job without_host = With(AnyNetwork(), [](JobSpec& spec) {
      spec.resources.cpus = 0, spec.resources.memory_bytes = 0;
    });
    if (!AnyFits(nodes_, without_host)) {
      return "no node has " + Count(request_.count, "GPU") +
             " as near to each other as its topology requires";
    }
    int cores = 0;
    int64_t memory_mib = 0;
    for (const Node& node : nodes_) {
      int here = 0;
      int64_t here_mib = 0;
      for (const NumaFacts& numa : node.facts->numa) {
        here += numa.cpus.Count();
        here_mib += numa.memory_mib;
      }
      cores = std::max(cores, here);
      memory_mib = std::max(memory_mib, here_mib);
    }
    if (job_.spec->resources.cpus > cores)
      return "no node has " + Count(job_.spec->resources.cpus, "core") + "; the largest has " +
             std::to_string(cores);
    if (job_.spec->resources.memory_bytes > memory_mib * kMib) {
      return "no node" + TooMuchMemory(job_.spec->resources.memory_bytes, memory_mib * kMib);
    }
    return "no node has the cores and the memory that it requests together" +
           std::string(request_.count > 0 ? " and near its GPUs" : "");
  }

  std::vector<Node> nodes_;  // that the job may use
  std::span<const Node> all_;
  const Job& job_;
  const GpuRequest& request_;
};

// The largest number of nodes of one trait (CommonTrait) that could hold a rank; counts no further
// than the job needs.
int CountAble(const State& state, const Job& job) {
  std::map<std::string, int> by_trait;
  int most = 0;
  for (const Node& node : state.nodes.all) {
    if (!MayUse(job, node)) continue;
    const auto choice = ChooseGpus(Ideal(node), job, {});
    if (choice) most = std::max(most, ++by_trait[CommonTrait(*job.spec, node, *choice)]);
    if (most >= job.spec->resources.nodes) break;
  }
  return most;
}

}  // namespace

std::string Where(const Job& job) {
  std::string text = job.pool == kDefaultPool ? "" : " in pool " + job.pool;
  for (const auto& [name, value] : job.spec->placement.node_labels)
    text += (text.empty() ? " with " : ", with ") + name + "=" + value;
  const char* before = " that offers ";
  for (const std::string& feature : FeaturesFor(*job.spec))
    text += std::exchange(before, " and ") + feature;
  const int levels =
      job.spec->resources.nodes == 1 ? 0 : job.spec->placement.topology.network_levels;
  if (levels > 0)
    text += (text.empty() ? " in one part of the network, " : ", in one part of the network, ") +
            Count(levels, "level") + " down";
  return text;
}

std::string TooFewNodes(const Job& job, int able) {
  const int count = job.spec->resources.gpus.count;
  const std::string gpus =
      count == 0 ? " that can hold a rank" : " with " + Count(count, "GPU") + " as requested";
  return "needs " + Count(job.spec->resources.nodes, "node") + gpus + Where(job) + "; there " +
         (able == 1 ? "is 1" : "are " + std::to_string(able));
}

std::string WhatNoNodeHas(std::span<const Node> nodes, const Job& job) {
  return Lack(nodes, job).Tell();
}

std::string WhyNeverFits(const State& state, const Job& job) {
  if (state.nodes.all.empty()) return "";
  std::string first;
  for (int variant = 0; variant < CountVariants(*job.spec); ++variant) {
    Job as = job;
    as.spec = Resolve(job.spec, variant, NodesOf(*job.spec, variant).least);
    const int able = CountAble(state, as);
    if (able >= as.spec->resources.nodes) return "";
    if (!first.empty()) continue;
    if (able > 0) {
      first = TooFewNodes(as, able);
      continue;
    }
    std::vector<Node> ideals;
    for (const Node& node : state.nodes.all) ideals.push_back(Ideal(node));
    first = WhatNoNodeHas(ideals, as);
  }
  return first;
}

}  // namespace gp
