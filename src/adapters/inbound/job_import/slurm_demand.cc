#include "adapters/inbound/job_import/slurm_demand.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kNodesMost = 4'096;
constexpr int64_t kCountMost = 1'000'000;

std::string SizeText(int64_t mebibytes) {
  return mebibytes % 1'024 == 0 ? std::to_string(mebibytes / 1'024) + "GiB" : std::to_string(mebibytes) + "MiB";
}

int64_t RoundedUp(int64_t all, int64_t parts) { return (all + parts - 1) / parts; }

ImportNote NoteOf(const Directive& one, std::string why) { return {one.line, Printable(one.written, 100), std::move(why)}; }

}  // namespace

std::optional<std::string> SlurmDemand::Take(const Directive& one) {
  using Taker = std::string (SlurmDemand::*)(const Directive&);
  static const std::map<std::string_view, Taker> kTakers{
      {"cpus-per-gpu", &SlurmDemand::TakeCount}, {"cpus-per-task", &SlurmDemand::TakeCount},   {"gpus", &SlurmDemand::TakeGpus},
      {"gpus-per-node", &SlurmDemand::TakeGpus}, {"gpus-per-task", &SlurmDemand::TakeGpus},    {"gres", &SlurmDemand::TakeGpus},
      {"mem", &SlurmDemand::TakeMemory},         {"mem-per-cpu", &SlurmDemand::TakeMemory},    {"mem-per-gpu", &SlurmDemand::TakeMemory},
      {"nodes", &SlurmDemand::TakeNodes},        {"ntasks", &SlurmDemand::TakeCount},          {"ntasks-per-node", &SlurmDemand::TakeCount},
  };
  const auto taker = kTakers.find(one.name);
  if (taker == kTakers.end() || !one.is_known) return std::nullopt;
  return (this->*taker->second)(one);
}

std::string SlurmDemand::TakeNodes(const Directive& one) {
  const auto nodes = ReadSlurmRange(one.value);
  if (!nodes || nodes->least < 1 || nodes->most > kNodesMost) return "is not read: a number up to 4096, or LEAST-MOST";
  nodes_ = *nodes;
  return "";
}

std::string SlurmDemand::TakeCount(const Directive& one) {
  const auto count = ParseCount(one.value);
  if (!count || *count < 1 || *count > kCountMost) return "is not read: a number";
  counts_[one.name] = *count;
  if (one.name.starts_with("ntasks")) tasks_directive_ = one;
  return "";
}

std::string SlurmDemand::TakeGpus(const Directive& one) {
  if (one.name == "gres" && !one.value.starts_with("gpu")) return "has no counterpart";
  const auto gpus = ReadSlurmGpus(one.value);
  if (!gpus) return "is not read: a number, or MODEL:NUMBER; of several kinds write one job file with any_of";
  gpus_ = *gpus;
  gpus_directive_ = one;
  return "";
}

std::string SlurmDemand::TakeMemory(const Directive& one) {
  const auto mebibytes = SlurmMebibytes(one.value);
  if (!mebibytes) return "is not read: a number, with K, M, G or T";
  if (*mebibytes == 0) return "is not read: all memory of a node cannot be asked for; say resources: {memory: …}";
  memory_[one.name] = *mebibytes;
  return "";
}

std::optional<int64_t> SlurmDemand::CountOf(const char* option) const {
  const auto count = counts_.find(option);
  return count == counts_.end() ? std::nullopt : std::optional(count->second);
}

int64_t SlurmDemand::Nodes() const {
  if (nodes_) return nodes_->most;
  const auto tasks = CountOf("ntasks"), per_node = CountOf("ntasks-per-node");
  return tasks && per_node ? RoundedUp(*tasks, *per_node) : 1;
}

int64_t SlurmDemand::TasksPerNode() const { return CountOf("ntasks-per-node").value_or(RoundedUp(CountOf("ntasks").value_or(1), Nodes())); }

int64_t SlurmDemand::GpusPerNode(std::vector<ImportNote>& notes) const {
  if (!gpus_) return 0;
  if (gpus_directive_.name == "gpus-per-task") return gpus_->count * TasksPerNode();
  if (gpus_directive_.name != "gpus") return gpus_->count;
  if (!nodes_ && gpus_->count > 1) notes.push_back(NoteOf(gpus_directive_, "all on one node here; of several say nodes: and how many GPUs each has"));
  if (gpus_->count % Nodes() != 0) notes.push_back(NoteOf(gpus_directive_, "each of the " + std::to_string(Nodes()) + " nodes has as many as the others"));
  return RoundedUp(gpus_->count, Nodes());
}

std::optional<int64_t> SlurmDemand::CpusPerNode(int64_t gpus) const {
  if (const auto per_task = CpusPerTask()) return *per_task * TasksPerNode();
  if (const auto per_gpu = CountOf("cpus-per-gpu"); per_gpu && gpus > 0) return *per_gpu * gpus;
  return TasksPerNode() > 1 ? std::optional(TasksPerNode()) : std::nullopt;  // each has one
}

std::optional<int64_t> SlurmDemand::MebibytesPerNode(int64_t gpus, int64_t cpus) const {
  if (const auto of_node = memory_.find("mem"); of_node != memory_.end()) return of_node->second;
  if (const auto of_gpu = memory_.find("mem-per-gpu"); of_gpu != memory_.end()) return of_gpu->second * std::max<int64_t>(gpus, 1);
  if (const auto of_core = memory_.find("mem-per-cpu"); of_core != memory_.end()) return of_core->second * cpus;
  return std::nullopt;
}

void SlurmDemand::PutInto(YamlNode& job_file, std::vector<ImportNote>& notes) const {
  if (nodes_ || Nodes() > 1) Put(job_file, {"nodes"}, Plain(std::to_string(Nodes())));
  if (nodes_ && nodes_->least < nodes_->most) Put(job_file, {"nodes_min"}, Plain(std::to_string(nodes_->least)));
  const int64_t gpus = GpusPerNode(notes);
  if (gpus > 0 && !gpus_->model.empty()) {
    Put(job_file, {"resources", "gpus", "model"}, Text(gpus_->model));
    Put(job_file, {"resources", "gpus", "count"}, Plain(std::to_string(gpus)));
  } else {
    Put(job_file, {"resources", "gpus"}, Plain(std::to_string(gpus)));
  }
  const auto cpus = CpusPerNode(gpus);
  if (cpus) Put(job_file, {"resources", "cpus"}, Plain(std::to_string(*cpus)));
  if (const auto mebibytes = MebibytesPerNode(gpus, cpus.value_or(1))) Put(job_file, {"resources", "memory"}, Plain(SizeText(*mebibytes)));
  if (TasksPerNode() > 1 && tasks_directive_) {
    notes.push_back(NoteOf(*tasks_directive_, "the script runs once on each node: let it start the others, as torchrun --nproc-per-node does"));
  }
}

}  // namespace gp
