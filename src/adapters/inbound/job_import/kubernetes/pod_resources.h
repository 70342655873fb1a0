#pragma once

// The resources of a pod: cores, memory and GPUs of its container, and its shared memory.

#include <string>

#include "adapters/inbound/job_import/kubernetes/pod_gpus.h"
#include "adapters/inbound/job_import/kubernetes/workload.h"

namespace gp {

// What a pod says about its GPUs outside its container.
struct PodGpuHints {
  NamedTexts annotations;
  const YamlNode* product = nullptr;  // the label value that names the GPU model; null: none
  std::string product_label;
};

// Whether the container requests GPUs or parts of them.
bool HasGpus(const YamlNode& container);

// Writes resources: of the job file.  What a job file cannot express has a note.
void TakeResources(const YamlNode& container, const Workload& workload, const PodGpuHints& hints,
                   Document& document);

// The size of a memory volume that is mounted at /dev/shm.
void TakeSharedMemory(const YamlNode& container, const YamlNode& pod, Document& document);

}  // namespace gp
