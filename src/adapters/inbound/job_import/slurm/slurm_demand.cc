#include "adapters/inbound/job_import/slurm/slurm_demand.h"

#include <algorithm>
#include <initializer_list>

#include "adapters/inbound/job_import/gpu_demand.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kNodesMost = 4'096;
constexpr int64_t kCountMost = 1'000'000;
// The assumed size of a node for tasks that may be on any number of nodes.
constexpr int64_t kNodeCores = 128;
constexpr int64_t kNodeGpus = 8;

std::string SizeText(int64_t mebibytes) {
  return mebibytes % 1'024 == 0 ? std::to_string(mebibytes / 1'024) + "GiB"
                                : std::to_string(mebibytes) + "MiB";
}

int64_t RoundedUp(int64_t all, int64_t parts) { return (all + parts - 1) / parts; }

ImportNote NoteOf(const Directive& one, std::string why) {
  return {one.line, Printable(one.written, 100), std::move(why)};
}

}  // namespace

std::optional<std::string> SlurmDemand::Take(const Directive& one) {
  using Taker = std::string (SlurmDemand::*)(const Directive&);
  static const std::map<std::string_view, Taker> kTakers{
      {"cpus-per-gpu", &SlurmDemand::TakeCount},
      {"cpus-per-task", &SlurmDemand::TakeCount},
      {"gpus", &SlurmDemand::TakeGpus},
      {"gpus-per-node", &SlurmDemand::TakeGpus},
      {"gpus-per-task", &SlurmDemand::TakeGpus},
      {"gres", &SlurmDemand::TakeResource},
      {"mem", &SlurmDemand::TakeMemory},
      {"mem-per-cpu", &SlurmDemand::TakeMemory},
      {"mem-per-gpu", &SlurmDemand::TakeMemory},
      {"nodes", &SlurmDemand::TakeNodes},
      {"ntasks", &SlurmDemand::TakeCount},
      {"ntasks-per-node", &SlurmDemand::TakeCount},
      {"ntasks-per-gpu", &SlurmDemand::TakeCount},
  };
  const auto taker = kTakers.find(one.name);
  if (taker == kTakers.end() || !one.is_known) return std::nullopt;
  std::string wrong = (this->*taker->second)(one);
  if (counts_.contains(one.name) || one.name == "nodes" || one.name == "gres")
    directives_[one.name] = one;
  return wrong;
}

std::string SlurmDemand::TakeNodes(const Directive& one) {
  const auto nodes = ReadSlurmRange(one.value);
  if (!nodes || nodes->least < 1 || nodes->most > kNodesMost)
    return "cannot be read: a number up to 4096, or LEAST-MOST, is expected";
  nodes_ = *nodes;
  return "";
}

std::string SlurmDemand::TakeCount(const Directive& one) {
  const auto count = ParseCount(one.value);
  if (!count || *count < 1 || *count > kCountMost) return "cannot be read: a number is expected";
  counts_[one.name] = *count;
  return "";
}

std::string SlurmDemand::TakeGpus(const Directive& one) {
  const auto gpus = ReadSlurmGpus(one.value);
  if (!gpus)
    return "cannot be read: a number, or MODEL:NUMBER, is expected; for several kinds write one "
           "job "
           "file with any_of";
  counts_[one.name] = gpus->count;
  if (!gpus->model.empty()) models_[one.name] = gpus->model;
  return "";
}

// "gpu:h100:8,nvme:1": takes the GPUs; other resources have a note.
std::string SlurmDemand::TakeResource(const Directive& one) {
  std::vector<std::string> others;
  for (const std::string& part : Split(one.value, ',')) {
    const size_t colon = std::min(part.find(':'), part.size());
    const std::string name = part.substr(0, colon);
    const auto gpus =
        colon == part.size() ? std::optional(SlurmGpus{}) : ReadSlurmGpus(part.substr(colon + 1));
    if ((name == "mps" || name == "shard") && gpus && gpus->count > 0) {
      parts_[name] = gpus->count;
      continue;
    }
    if ((name != "gpu" && name != "gres/gpu") || !gpus || counts_.contains(one.name)) {
      others.push_back(part);
      continue;
    }
    counts_[one.name] = gpus->count;
    if (!gpus->model.empty()) models_[one.name] = gpus->model;
  }
  return others.empty() ? ""
                        : Join(others, ",") +
                              " is not in the job file: only GPUs are supported, gpu:MODEL:NUMBER";
}

std::string SlurmDemand::TakeMemory(const Directive& one) {
  const auto mebibytes = SlurmMebibytes(one.value);
  if (!mebibytes) return "cannot be read: a number, with K, M, G or T, is expected";
  if (*mebibytes == 0)
    return "is ignored: all memory of a node cannot be requested; set resources: {memory: …}";
  counts_[one.name] = *mebibytes;
  return "";
}

std::optional<int64_t> SlurmDemand::CountOf(const std::string& option) const {
  const auto count = counts_.find(option);
  return count == counts_.end() ? std::nullopt : std::optional(count->second);
}

std::optional<int64_t> SlurmDemand::Tasks() const {
  if (const auto tasks = CountOf("ntasks")) return tasks;
  const auto gpus = CountOf("gpus"), per_task = CountOf("gpus-per-task"),
             per_gpu = CountOf("ntasks-per-gpu");
  if (gpus && per_task && *per_task > 0) return RoundedUp(*gpus, *per_task);
  return gpus && per_gpu ? std::optional(std::min(*gpus * *per_gpu, kCountMost)) : std::nullopt;
}

std::optional<int64_t> SlurmDemand::StatedGpusPerNode() const {
  const auto of_node = CountOf("gpus-per-node");
  return of_node ? of_node : CountOf("gres");
}

std::optional<int64_t> SlurmDemand::TotalGpus() const {
  if (const auto gpus = CountOf("gpus")) return gpus;
  const auto tasks = CountOf("ntasks"), per_gpu = CountOf("ntasks-per-gpu");
  const bool is_counted_otherwise = StatedGpusPerNode() || CountOf("gpus-per-task");
  return tasks && per_gpu && !is_counted_otherwise ? std::optional(RoundedUp(*tasks, *per_gpu))
                                                   : std::nullopt;
}

int64_t SlurmDemand::Nodes() const {
  if (nodes_) return nodes_->most;
  const auto gpus = CountOf("gpus"), gpus_per_node = CountOf("gpus-per-node");
  if (gpus && gpus_per_node && *gpus_per_node > 0)
    return std::max<int64_t>(RoundedUp(*gpus, *gpus_per_node), 1);
  const auto tasks = Tasks(), tasks_per_node = CountOf("ntasks-per-node");
  return tasks && tasks_per_node ? RoundedUp(*tasks, *tasks_per_node) : SpreadNodes();
}

int64_t SlurmDemand::SpreadNodes() const {
  const int64_t tasks = Tasks().value_or(1), cpus = CpusPerTask().value_or(1),
                of_node = StatedGpusPerNode().value_or(0);
  int64_t gpus = TotalGpus().value_or(0);
  if (const auto of_task = CountOf("gpus-per-task"); of_task && gpus == 0 && of_node == 0)
    gpus = std::min(*of_task * tasks, kCountMost);
  const auto fits = [&](int64_t nodes) {
    return std::min(RoundedUp(tasks, nodes), kCountMost) * cpus <= kNodeCores &&
           RoundedUp(gpus, nodes) <= kNodeGpus;
  };
  // A task cannot be divided; if even the largest number of nodes is not enough, 1 is used.
  const int64_t most = std::min(std::max({gpus, tasks, int64_t{1}}), kNodesMost);
  if (fits(1) || !fits(most)) return 1;
  // Prefers one task for each GPU of a node, if the numbers allow it.
  if (of_node > 0 && tasks % of_node == 0 && tasks / of_node <= kNodesMost && fits(tasks / of_node))
    return tasks / of_node;
  int64_t least = 1;
  while (!fits(least)) ++least;
  for (int64_t nodes = least; nodes <= most; ++nodes) {
    if (tasks % std::min(nodes, tasks) == 0 && gpus % nodes == 0) return nodes;
  }
  return least;
}

int64_t SlurmDemand::TasksPerNode() const {
  const auto tasks = Tasks(), per_node = CountOf("ntasks-per-node"),
             per_gpu = CountOf("ntasks-per-gpu"), gpus = StatedGpusPerNode();
  if (tasks) return std::min(RoundedUp(*tasks, Nodes()), per_node.value_or(kCountMost));
  if (per_gpu && gpus && !per_node) return std::clamp<int64_t>(*per_gpu * *gpus, 1, kCountMost);
  return per_node.value_or(1);
}

int64_t SlurmDemand::GpusPerNode() const {
  if (const auto of_node = StatedGpusPerNode()) return *of_node;
  if (const auto of_task = CountOf("gpus-per-task"))
    return std::min(*of_task * TasksPerNode(), kCountMost);
  return RoundedUp(TotalGpus().value_or(0), Nodes());
}

std::optional<int64_t> SlurmDemand::CpusPerNode(int64_t gpus) const {
  if (const auto per_task = CpusPerTask()) return std::min(*per_task * TasksPerNode(), kCountMost);
  if (const auto per_gpu = CountOf("cpus-per-gpu"); per_gpu && gpus > 0)
    return std::min(*per_gpu * gpus, kCountMost);
  return TasksPerNode() > 1 ? std::optional(TasksPerNode()) : std::nullopt;  // one core each
}

std::optional<int64_t> SlurmDemand::MebibytesPerNode(int64_t gpus, int64_t cpus) const {
  if (const auto of_node = CountOf("mem")) return of_node;
  if (const auto of_gpu = CountOf("mem-per-gpu"); of_gpu && gpus > 0) return *of_gpu * gpus;
  if (const auto of_core = CountOf("mem-per-cpu")) return *of_core * cpus;
  return std::nullopt;
}

void SlurmDemand::PutInto(YamlNode& job_file, bool starts_tasks,
                          std::vector<ImportNote>& notes) const {
  if (nodes_ || Nodes() > 1) Put(job_file, {"nodes"}, Plain(std::to_string(Nodes())));
  if (nodes_ && nodes_->least < nodes_->most && !HasTotals())
    Put(job_file, {"nodes_min"}, Plain(std::to_string(nodes_->least)));
  NodePart part;
  part.gpus = GpusPerNode();
  part.cpus = CpusPerNode(part.gpus);
  part.mebibytes = MebibytesPerNode(part.gpus, part.cpus.value_or(1));
  PutGpus(job_file, part.gpus, notes);
  if (part.cpus) Put(job_file, {"resources", "cpus"}, Plain(std::to_string(*part.cpus)));
  if (part.mebibytes) Put(job_file, {"resources", "memory"}, Plain(SizeText(*part.mebibytes)));
  NoteNodes(starts_tasks, notes);
  NoteDifferences(part, notes);
}

void SlurmDemand::PutGpus(YamlNode& job_file, int64_t gpus, std::vector<ImportNote>& notes) const {
  GpuDemand demand;
  demand.count = gpus;
  if (gpus > 0 && !models_.empty()) {
    const auto& [option, name] = *models_.begin();
    const NamedGpu gpu = ReadGpuName(name);
    const std::string why = AddName(gpu, demand);
    notes.push_back(NoteOf(directives_.at(option), gpu.meaning + (why.empty() ? "" : "; " + why)));
    for (const auto& [other, other_name] : models_) {
      if (ReadGpuName(other_name).models != gpu.models)
        notes.push_back(NoteOf(directives_.at(other),
                               "names another GPU than " + option + ": that one is used"));
    }
  }
  for (const auto& [kind, count] : parts_) {
    const bool is_mps = kind == "mps";
    const std::string written = kind + ":" + std::to_string(count);
    demand.count = std::max<int64_t>(demand.count, 1);
    if (is_mps && demand.isolation.empty() && demand.count == 1 && count < 100) {
      demand.share = *ShareOfPercent(std::to_string(count));
      demand.isolation = "mps";
    }
    notes.push_back(
        NoteOf(directives_.at("gres"),
               is_mps ? written + " is " + std::to_string(count) + " % of one GPU here"
                      : written + " is a part of a GPU whose size only the site knows: a whole GPU "
                                  "here, or set share: or memory:"));
  }
  gp::PutGpus(demand, job_file);
}

void SlurmDemand::NoteFirst(std::initializer_list<const char*> options, const std::string& why,
                            std::vector<ImportNote>& notes) const {
  for (const char* option : options) {
    const auto one = directives_.find(option);
    if (one != directives_.end()) return notes.push_back(NoteOf(one->second, why));
  }
}

// Adds the notes about several nodes or tasks.
void SlurmDemand::NoteNodes(bool starts_tasks, std::vector<ImportNote>& notes) const {
  if (Nodes() > 1) NoteSeveralNodes(notes);
  if (TasksPerNode() > 1 && !starts_tasks)
    NoteFirst({"ntasks-per-node", "ntasks", "gpus-per-task", "ntasks-per-gpu"},
              "the script runs once on each node: let it start the " +
                  std::to_string(TasksPerNode()) + " tasks, as torchrun --nproc-per-node does",
              notes);
  if (!nodes_ && Nodes() == 1) NoteOneNode(notes);
  if (nodes_ && nodes_->least < nodes_->most && HasTotals())
    NoteFirst({"nodes"},
              "starts on " + std::to_string(nodes_->most) +
                  " nodes only: the totals are not divided again for fewer nodes",
              notes);
}

void SlurmDemand::NoteSeveralNodes(std::vector<ImportNote>& notes) const {
  const std::string nodes = std::to_string(Nodes());
  const bool is_stated = nodes_ || CountOf("ntasks-per-node") || CountOf("gpus-per-node");
  if (is_stated)
    return NoteFirst({"nodes", "ntasks", "gpus", "ntasks-per-node"},
                     "the script runs on each of the " + nodes + " nodes, not only on the first",
                     notes);
  NoteFirst({"ntasks", "gpus", "gpus-per-task"},
            "more than " + std::to_string(kNodeCores) + " cores or " + std::to_string(kNodeGpus) +
                " GPUs are spread over " + nodes +
                " nodes here, and the script runs on each; for another number set nodes: and "
                "resources:",
            notes);
}

void SlurmDemand::NoteOneNode(std::vector<ImportNote>& notes) const {
  if (Tasks().value_or(1) > 1 && !CountOf("ntasks-per-node"))
    NoteFirst({"ntasks", "gpus-per-task"},
              "all on one node here; for several nodes set nodes:", notes);
  if (CountOf("gpus").value_or(0) > 1)
    NoteFirst({"gpus"}, "all on one node here; for several nodes set nodes: and the GPUs of each",
              notes);
}

void SlurmDemand::NoteAmount(int64_t amount, const std::string& text,
                             std::initializer_list<Counted> options,
                             std::vector<ImportNote>& notes) const {
  const std::string of_nodes =
      Nodes() == 1 ? " on one node" : " on each of " + std::to_string(Nodes()) + " nodes";
  for (const Counted& one : options) {
    const auto count = CountOf(one.option);
    const bool is_nothing = count && one.unit == 0;  // counted by GPU, and there are no GPUs
    if (count && (is_nothing || *count * one.unit != amount * one.nodes))
      notes.push_back(NoteOf(directives_.at(one.option),
                             is_nothing ? "there are no GPUs" : "amounts to " + text + of_nodes));
  }
}

// Adds a note for each directive whose amount differs from what the nodes get.
void SlurmDemand::NoteDifferences(const NodePart& part, std::vector<ImportNote>& notes) const {
  const int64_t tasks = TasksPerNode(), cpus = part.cpus.value_or(1),
                mebibytes = part.mebibytes.value_or(0);
  NoteAmount(part.gpus, std::to_string(part.gpus) + " GPUs",
             {{"gpus", 1, Nodes()}, {"gpus-per-node"}, {"gres"}, {"gpus-per-task", tasks}}, notes);
  NoteAmount(cpus, std::to_string(cpus) + " cores",
             {{"cpus-per-task", tasks}, {"cpus-per-gpu", part.gpus}}, notes);
  NoteAmount(mebibytes, SizeText(mebibytes),
             {{"mem"}, {"mem-per-gpu", part.gpus}, {"mem-per-cpu", cpus}}, notes);
  NoteAmount(tasks, std::to_string(tasks) + " tasks",
             {{"ntasks", 1, Nodes()}, {"ntasks-per-node"}, {"ntasks-per-gpu", part.gpus}}, notes);
}

}  // namespace gp
