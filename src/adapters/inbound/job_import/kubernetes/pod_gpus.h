#pragma once

// GPUs as pods request them: whole ones, MIG instances, and the parts of KAI, HAMi, Volcano and
// others.

#include <map>
#include <string>

#include "adapters/inbound/job_import/gpu_demand.h"
#include "adapters/inbound/job_import/kubernetes/document.h"

namespace gp {

// Values by name: annotations and labels of the pod, or resources of its container.
using NamedTexts = std::map<std::string, const YamlNode*>;

// Whether the name requests GPUs or parts of them.
bool IsGpuResource(std::string_view name);
bool IsGpuAnnotation(std::string_view name);

// The requested GPUs: at least one if a part of one is requested.  What a job file cannot express
// has a note.
GpuDemand ReadGpuDemand(const NamedTexts& resources, const NamedTexts& annotations,
                        Document& document);

}  // namespace gp
