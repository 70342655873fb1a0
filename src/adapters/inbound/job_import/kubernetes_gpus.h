#pragma once

// GPUs as pods ask for them: whole ones, MIG instances, and the parts of KAI, HAMi, Volcano and
// others.

#include <map>
#include <string>

#include "adapters/inbound/job_import/document.h"
#include "adapters/inbound/job_import/gpu_demand.h"

namespace gp {

// By name; annotations and labels of the pod, or resources of its container.
using NamedTexts = std::map<std::string, const YamlNode*>;

// Whether the name is that of GPUs or of a part of them.
bool IsGpuResource(std::string_view name);
bool IsGpuAnnotation(std::string_view name);

// What is asked for; never no GPU where a part of one is.  What cannot be said in a job file has a
// note.
GpuDemand ReadGpuDemand(const NamedTexts& resources, const NamedTexts& annotations,
                        Document& document);

}  // namespace gp
