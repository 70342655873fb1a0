#pragma once

// The resources that a script for Slurm requests.  Slurm counts GPUs, cores and memory by job,
// node, task, GPU or core; a job file by node.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/slurm/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm/slurm_values.h"

namespace gp {

// Collects the directives about resources, and converts them to requests of each node.
class SlurmDemand {
 public:
  // nullopt: the directive is not about resources.  Empty: taken.  Otherwise a problem for a note.
  std::optional<std::string> Take(const Directive& one);

  // Writes nodes, nodes_min and resources, with a note for each directive whose amount differs from
  // what the nodes get.  `starts_tasks`: the script itself starts all tasks of a node.
  void PutInto(YamlNode& job_file, bool starts_tasks, std::vector<ImportNote>& notes) const;

  int64_t Nodes() const;
  int64_t TasksPerNode() const;
  int64_t GpusPerNode() const;
  // 0: not given.
  int64_t GpusPerTask() const { return CountOf("gpus-per-task").value_or(0); }
  std::optional<int64_t> CpusPerTask() const { return CountOf("cpus-per-task"); }

 private:
  std::string TakeNodes(const Directive& one);
  std::string TakeCount(const Directive& one);
  std::string TakeGpus(const Directive& one);
  std::string TakeResource(const Directive& one);
  std::string TakeMemory(const Directive& one);

  // The request of each node.
  struct NodePart {
    int64_t gpus = 0;
    std::optional<int64_t> cpus;
    std::optional<int64_t> mebibytes;
  };
  // An option whose count, times `unit`, should be the amount of a node, times `nodes`.
  struct Counted {
    const char* option;
    int64_t unit = 1;
    int64_t nodes = 1;
  };

  std::optional<int64_t> CountOf(const std::string& option) const;
  std::optional<int64_t> Tasks() const;
  std::optional<int64_t> TotalGpus() const;
  // GPUs of each node, if given in this form.
  std::optional<int64_t> StatedGpusPerNode() const;
  // The number of nodes if none is given: enough that the request fits on each.
  int64_t SpreadNodes() const;
  std::optional<int64_t> CpusPerNode(int64_t gpus) const;
  std::optional<int64_t> MebibytesPerNode(int64_t gpus, int64_t cpus) const;
  // Whether there are totals, whose part of each node depends on the number of nodes.
  bool HasTotals() const {
    return CountOf("gpus") || (CountOf("ntasks") && !CountOf("ntasks-per-node"));
  }

  void PutGpus(YamlNode& job_file, int64_t gpus, std::vector<ImportNote>& notes) const;
  // Adds a note to the first of the options that is given.
  void NoteFirst(std::initializer_list<const char*> options, const std::string& why,
                 std::vector<ImportNote>& notes) const;
  void NoteNodes(bool starts_tasks, std::vector<ImportNote>& notes) const;
  void NoteSeveralNodes(std::vector<ImportNote>& notes) const;
  // For the one node of a script that names no number.
  void NoteOneNode(std::vector<ImportNote>& notes) const;
  // Adds a note for each of the options that differs from the amount; `text`: the amount in words.
  void NoteAmount(int64_t amount, const std::string& text, std::initializer_list<Counted> options,
                  std::vector<ImportNote>& notes) const;
  void NoteDifferences(const NodePart& part, std::vector<ImportNote>& notes) const;

  std::optional<SlurmRange> nodes_;
  std::map<std::string, int64_t> counts_;        // by option; memory in MiB
  std::map<std::string, std::string> models_;    // GPU models, by option
  std::map<std::string, int64_t> parts_;         // parts of GPUs in --gres: mps, shard
  std::map<std::string, Directive> directives_;  // by option
};

}  // namespace gp
