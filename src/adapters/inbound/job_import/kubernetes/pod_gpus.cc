#include "adapters/inbound/job_import/kubernetes/pod_gpus.h"

#include <algorithm>
#include <optional>

#include "adapters/inbound/job_import/kubernetes/quantity.h"
#include "base/text.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

constexpr std::string_view kMigSlice = "nvidia.com/mig-";

enum class Sort {
  kCount,          // number of GPUs, or of GPUs of which parts are used
  kSlices,         // parts of a size that only the cluster knows
  kMemory,         // of each, in units
  kMemoryPercent,  // of each
  kCorePercent,    // of each
  kHundredths,     // of one GPU, or of several
};

struct Resource {
  std::string_view name;
  Sort sort;
  int64_t mebibytes = 1;  // of a unit of memory
};

constexpr Resource kResources[] = {
    {"nvidia.com/gpu", Sort::kCount},
    {"nvidia.com/gpu.shared", Sort::kSlices},
    {"nvidia.com/gpumem", Sort::kMemory},  // HAMi
    {"nvidia.com/gpumem-percentage", Sort::kMemoryPercent},
    {"nvidia.com/gpucores", Sort::kCorePercent},
    {"volcano.sh/vgpu-number", Sort::kCount},
    {"volcano.sh/vgpu-memory", Sort::kMemory},
    {"volcano.sh/vgpu-memory-percentage", Sort::kMemoryPercent},
    {"volcano.sh/vgpu-cores", Sort::kCorePercent},
    {"volcano.sh/gpu-number", Sort::kCount},
    {"volcano.sh/gpu-memory", Sort::kMemory},
    {"aliyun.com/gpu-count", Sort::kCount},
    {"aliyun.com/gpu-mem", Sort::kMemory, 1'024},
    {"tencent.com/vcuda-core", Sort::kHundredths},
    {"tencent.com/vcuda-memory", Sort::kMemory, 256},
};

// Annotations of KAI (formerly runai).
constexpr std::string_view kFraction = "gpu-fraction", kMemory = "gpu-memory",
                           kDevices = "gpu-fraction-num-devices";
constexpr std::string_view kModels = "nvidia.com/use-gputype";  // HAMi

const Resource* FindResource(std::string_view name) {
  const auto found = std::ranges::find(kResources, name, &Resource::name);
  return found == std::end(kResources) ? nullptr : &*found;
}

// "amd.com/gpu", "gpu.intel.com/xe".
bool IsForeignGpu(std::string_view name) {
  return name.ends_with("/gpu") || name.starts_with("gpu.");
}

// Collects the GPU requests of one container.
class GpuReader {
 public:
  GpuReader(const NamedTexts& resources, const NamedTexts& annotations, Document& document)
      : resources_(resources), annotations_(annotations), document_(document) {}

  GpuDemand Read() {
    for (const auto& [name, amount] : resources_) {
      if (name.starts_with(kMigSlice)) {
        TakeInstances(name, *amount);
      } else if (const Resource* resource = FindResource(name)) {
        Take(*resource, *amount);
      } else if (IsForeignGpu(name)) {
        SetCount(name, *amount);
        document_.Note(*amount, name + ": " + amount->text,
                       "is treated as GPUs, but only NVIDIA GPUs are supported");
      }
    }
    TakeAnnotations();
    SetParts();
    return std::move(demand_);
  }

 private:
  static std::string Written(std::string_view name, const YamlNode& amount) {
    return std::string(name) + ": " + amount.text;
  }

  // The number; if it cannot be read, at least 1 GPU is requested, with a note.
  std::optional<int64_t> CountOf(std::string_view name, const YamlNode& amount) {
    const auto count = ParseCount(amount.text);
    if (count) return *count;
    document_.Note(amount, Written(name, amount),
                   "cannot be read: a number is expected; 1 GPU is used");
    demand_.count = std::max<int64_t>(demand_.count, 1);
    return std::nullopt;
  }

  // Sets the count.  A job has GPUs of one kind: the first resource with a count is used.
  void SetCount(std::string_view name, const YamlNode& amount) {
    const auto count = CountOf(name, amount);
    if (!count) return;
    if (counted_ != nullptr && *count > 0)
      return document_.Note(
          amount, Written(name, amount),
          "a job has GPUs of one kind: " + std::string(counted_name_) + " is used");
    if (*count > 0) {
      counted_ = &amount;
      counted_name_ = name;
      demand_.count = *count;
    }
  }

  void TakeInstances(const std::string& name, const YamlNode& amount) {
    const NamedGpu gpu = ReadGpuName(std::string_view(name).substr(kMigSlice.size()));
    const bool is_first = counted_ == nullptr;
    SetCount(name, amount);
    if (!is_first || counted_ != &amount) return;
    if (!gpu.mig) return document_.Note(amount, name, "set resources: {gpus: {mig: 1g.10gb}}");
    const std::string why = AddName(gpu, demand_);
    document_.Note(amount, name, gpu.meaning + (why.empty() ? "" : "; " + why));
  }

  void Take(const Resource& resource, const YamlNode& amount) {
    switch (resource.sort) {
      case Sort::kCount: return SetCount(resource.name, amount);
      case Sort::kSlices:
        SetCount(resource.name, amount);
        if (counted_ == &amount)
          document_.Note(amount, Written(resource.name, amount),
                         "is a part of a GPU whose size only its cluster knows: a whole GPU here, "
                         "or set share:, such as 0.25 for one of four");
        return;
      case Sort::kMemory: return TakeMemory(resource, amount);
      case Sort::kMemoryPercent: return TakePercent(resource.name, amount, memory_percent_);
      case Sort::kCorePercent: return TakePercent(resource.name, amount, core_percent_);
      case Sort::kHundredths: {
        const auto hundredths = CountOf(resource.name, amount);
        if (!hundredths || *hundredths == 0) return;
        if (*hundredths > 100) {
          demand_.count = (*hundredths + 99) / 100;
        } else {
          TakePercent(resource.name, amount, core_percent_);
        }
        return;
      }
    }
  }

  void TakeMemory(const Resource& resource, const YamlNode& amount) {
    // A plain number is in units of the resource; "8Gi" has a unit of its own.
    const auto units = ParseCount(amount.text);
    const auto bytes = units ? std::nullopt : QuantityBytes(amount.text);
    const int64_t mebibytes = units
                                  ? std::min<int64_t>(*units, kGpuMemoryMibMax) * resource.mebibytes
                                  : bytes.value_or(0) >> 20;
    if (mebibytes < 1 || mebibytes > kGpuMemoryMibMax) {
      if (!(units && *units == 0)) CountOf(resource.name, amount);
      return;
    }
    demand_.memory = mebibytes % 1'024 == 0 ? std::to_string(mebibytes / 1'024) + "GiB"
                                            : std::to_string(mebibytes) + "MiB";
    SetPart(resource.name, amount);
  }

  void TakePercent(std::string_view name, const YamlNode& amount, int64_t& percent) {
    const auto number = CountOf(name, amount);
    if (!number || *number == 0) return;  // 0: all
    percent = std::min<int64_t>(*number, 100);
    SetPart(name, amount);
  }

  void SetPart(std::string_view name, const YamlNode& amount) {
    if (part_ != nullptr) return;
    part_ = &amount;
    part_name_ = name;
  }

  void TakeAnnotations() {
    for (const auto& [name, value] : annotations_) {
      if (name == kFraction) {
        TakeFraction(*value);
      } else if (name == kMemory) {
        TakeMemory({kMemory, Sort::kMemory}, *value);
      } else if (name == kDevices) {
        SetCount(name, *value);
      } else if (name == kModels) {
        for (const std::string& model : Split(value->text, ',')) {
          for (const std::string& one : ReadGpuName(model).models) {
            if (demand_.models.size() < kModelsMax &&
                std::ranges::find(demand_.models, one) == demand_.models.end())
              demand_.models.push_back(one);
          }
        }
      }
    }
  }

  // "0.5"; rounded up to the three decimals of a job file.
  void TakeFraction(const YamlNode& value) {
    const auto thousandths = QuantityMilli(value.text);
    if (!thousandths || *thousandths < 1) {
      document_.Note(value, Written(kFraction, value),
                     "cannot be read: a part of a GPU such as 0.5 is expected; 1 GPU is used");
      demand_.count = std::max<int64_t>(demand_.count, 1);
      return;
    }
    SetPart(kFraction, value);
    if (*thousandths >= kShareMax) return;
    std::string digits = std::to_string(*thousandths);
    digits.insert(0, 3 - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    demand_.share = "0." + digits;
  }

  void SetParts() {
    if (part_ == nullptr) return;
    demand_.count = std::max<int64_t>(demand_.count, 1);
    const int64_t percent = std::max(core_percent_, demand_.memory.empty() ? memory_percent_ : 0);
    if (percent > 0 && percent < 100) demand_.share = *ShareOfPercent(std::to_string(percent));
    if (!demand_.mig.empty()) {
      demand_.share.clear();
      return document_.Note(*part_, Written(part_name_, *part_),
                            "a MIG instance has its own size, which is used");
    }
    if (demand_.share.empty() && demand_.memory.empty()) return;
    const std::string share = demand_.share.empty() ? "" : "share: " + demand_.share,
                      memory = demand_.memory.empty() ? "" : "memory: " + demand_.memory;
    std::string why =
        "is " + share + (share.empty() || memory.empty() ? "" : ", ") + memory +
        ", time-sliced with jobs of the same user; isolation: mps or mig is possible too";
    if (memory_percent_ > 0 && core_percent_ != memory_percent_ && memory.empty())
      why += "; compute and memory are one share here: the larger of the two";
    document_.Note(*part_, Written(part_name_, *part_), why);
  }

  const NamedTexts& resources_;
  const NamedTexts& annotations_;
  Document& document_;
  GpuDemand demand_;
  const YamlNode* counted_ = nullptr;  // the resource that gave the count
  std::string_view counted_name_;
  const YamlNode* part_ = nullptr;  // the first resource that requests a part
  std::string_view part_name_;
  int64_t core_percent_ = 0;  // 0: not given
  int64_t memory_percent_ = 0;
};

}  // namespace

bool IsGpuResource(std::string_view name) {
  return name.starts_with(kMigSlice) || FindResource(name) != nullptr || IsForeignGpu(name);
}

bool IsGpuAnnotation(std::string_view name) {
  return name == kFraction || name == kMemory || name == kDevices || name == kModels;
}

GpuDemand ReadGpuDemand(const NamedTexts& resources, const NamedTexts& annotations,
                        Document& document) {
  return GpuReader(resources, annotations, document).Read();
}

}  // namespace gp
