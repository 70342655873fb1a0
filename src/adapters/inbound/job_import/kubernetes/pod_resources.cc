#include "adapters/inbound/job_import/kubernetes/pod_resources.h"

#include <algorithm>
#include <optional>

#include "adapters/inbound/job_import/kubernetes/quantity.h"

namespace gp {
namespace {

std::optional<std::string> SizeText(std::optional<int64_t> bytes) {
  constexpr int64_t kGibi = int64_t{1} << 30, kMebi = int64_t{1} << 20;
  if (!bytes) return std::nullopt;
  if (*bytes % kGibi == 0) return std::to_string(*bytes / kGibi) + "GiB";
  if (*bytes % kMebi == 0) return std::to_string(*bytes / kMebi) + "MiB";
  return std::to_string((*bytes + 1'023) / 1'024) + "KiB";
}

void PutAmount(const char* resource, const std::optional<std::string>& amount,
               const YamlNode& written, Document& document) {
  if (amount) return Put(document.draft, {"resources", resource}, Plain(*amount));
  document.Note(written, std::string(resource) + ": " + written.text, "cannot be read");
}

// The limit of each resource, or else its request; a request that differs from the limit has a
// note.  `resources` may be null.
NamedTexts Demands(const YamlNode* resources, Document& document) {
  NamedTexts demands;
  if (resources == nullptr) return demands;
  for (const std::string_view part : {"limits", "requests"}) {
    document.ForEachText(
        Find(*resources, {part}), [&](const std::string& name, const YamlNode& amount) {
          const auto [demand, is_new] = demands.try_emplace(name, &amount);
          if (!is_new && demand->second->text != amount.text)
            document.Note(amount, "requests: {" + name + ": " + amount.text + "}",
                          "the limit is used: a job gets what it requests, and no more");
          return true;
        });
  }
  return demands;
}

void TakeHost(const std::string& name, const YamlNode& amount, Document& document) {
  if (name == "cpu") {
    const auto cores = QuantityCores(amount.text);
    PutAmount("cpus",
              cores ? std::optional(std::to_string(std::max<int64_t>(*cores, 1))) : std::nullopt,
              amount, document);
  } else if (name == "memory") {
    PutAmount("memory", SizeText(QuantityBytes(amount.text)), amount, document);
  } else if (!IsGpuResource(name)) {
    document.Note(amount, name + ": " + amount.text, "has no counterpart");
  }
}

// The request of a claim is in another document, or in the cluster.
void TakeClaims(const YamlNode& container, const YamlNode* pod, GpuDemand& gpus,
                Document& document) {
  const YamlNode* claims = Find(container, {"resources", "claims"});
  if (claims == nullptr) return;
  document.taken.Use(*claims);
  const YamlNode* of_pod = pod == nullptr ? nullptr : Find(*pod, {"resourceClaims"});
  if (of_pod != nullptr) document.taken.Use(*of_pod);
  const std::string count = std::to_string(std::max<size_t>(claims->items.size(), 1));
  if (gpus.count == 0) gpus.count = static_cast<int64_t>(std::max<size_t>(claims->items.size(), 1));
  document.Note(*claims, "resources.claims",
                "the request of a claim is not read; GPUs used here: " + count +
                    "; set resources: {gpus: …}");
}

void TakeProduct(const PodGpuHints& hints, GpuDemand& gpus, Document& document) {
  if (hints.product == nullptr) return;
  const std::string written = hints.product_label + ": " + hints.product->text;
  if (gpus.count == 0) return document.Note(*hints.product, written, "the job requests no GPU");
  const NamedGpu gpu = ReadGpuName(hints.product->text);
  gpus.models = gpu.models;
  if (gpu.memory) gpus.memory_min = *gpu.memory;
  std::string why;
  // All GPUs of the node are divided in the same way: the count is one of instances.
  if (gpu.mig && gpus.mig.empty() && gpus.isolation.empty()) why = AddName(gpu, gpus);
  document.Note(*hints.product, written, gpu.meaning + (why.empty() ? "" : "; " + why));
}

// Takes the size of the volume if it is the named one, and in memory.
void TakeVolume(const YamlNode& path, const YamlNode& name, const YamlNode& volume,
                Document& document) {
  const YamlNode *own = Find(volume, {"name"}), *medium = Find(volume, {"emptyDir", "medium"});
  if (own == nullptr || own->text != name.text || medium == nullptr || medium->text != "Memory")
    return;
  for (const YamlNode* used : {&path, &name, own, medium}) document.taken.Use(*used);
  const YamlNode* limit = document.taken.TakeText(volume, {"emptyDir", "sizeLimit"});
  // The default is the same as here: as much as the host memory.
  if (limit != nullptr) PutAmount("shm", SizeText(QuantityBytes(limit->text)), *limit, document);
}

}  // namespace

bool HasGpus(const YamlNode& container) {
  for (const std::string_view part : {"limits", "requests"}) {
    const YamlNode* amounts = Find(container, {"resources", part});
    if (amounts == nullptr) continue;
    if (std::ranges::any_of(amounts->entries,
                            [](const YamlEntry& entry) { return IsGpuResource(entry.key); }))
      return true;
  }
  return Find(container, {"resources", "claims"}) != nullptr;
}

void TakeResources(const YamlNode& container, const Workload& workload, const PodGpuHints& hints,
                   Document& document) {
  const NamedTexts demands =
      Demands(Find(container, {workload.container == nullptr ? "resources" : "resourcesPerNode"}),
              document);
  for (const auto& [name, amount] : demands) TakeHost(name, *amount, document);
  GpuDemand gpus = ReadGpuDemand(demands, hints.annotations, document);
  TakeClaims(container, workload.pod, gpus, document);
  TakeProduct(hints, gpus, document);
  PutGpus(gpus, document.draft);
}

void TakeSharedMemory(const YamlNode& container, const YamlNode& pod, Document& document) {
  const YamlNode *mounts = Find(container, {"volumeMounts"}), *volumes = Find(pod, {"volumes"});
  if (mounts == nullptr || volumes == nullptr) return;
  for (const YamlNode& mount : mounts->items) {
    const YamlNode *path = Find(mount, {"mountPath"}), *name = Find(mount, {"name"});
    if (path == nullptr || name == nullptr || path->text != "/dev/shm") continue;
    for (const YamlNode& volume : volumes->items) TakeVolume(*path, *name, volume, document);
  }
}

}  // namespace gp
