#pragma once

// What a script for Slurm asks of nodes.  Slurm counts GPUs, cores and memory by job, node, task, GPU or core; a job file
// by node.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm_values.h"

namespace gp {

class SlurmDemand {
 public:
  // nullopt: it asks for nothing of the kind.  Empty: taken.  Else what is wrong with it.
  std::optional<std::string> Take(const Directive& one);

  // nodes, nodes_min and resources.
  void PutInto(YamlNode& job_file, std::vector<ImportNote>& notes) const;

  int64_t TasksPerNode() const;
  std::optional<int64_t> CpusPerTask() const { return CountOf("cpus-per-task"); }

 private:
  std::string TakeNodes(const Directive& one);
  std::string TakeCount(const Directive& one);
  std::string TakeGpus(const Directive& one);
  std::string TakeMemory(const Directive& one);

  std::optional<int64_t> CountOf(const char* option) const;
  int64_t Nodes() const;
  int64_t GpusPerNode(std::vector<ImportNote>& notes) const;
  std::optional<int64_t> CpusPerNode(int64_t gpus) const;
  std::optional<int64_t> MebibytesPerNode(int64_t gpus, int64_t cpus) const;

  std::optional<SlurmRange> nodes_;
  std::optional<SlurmGpus> gpus_;
  Directive gpus_directive_;
  std::optional<Directive> tasks_directive_;
  std::map<std::string, int64_t> counts_;  // by option
  std::map<std::string, int64_t> memory_;  // in MiB, by option
};

}  // namespace gp
