#include <algorithm>
#include <array>

#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/node_fields.h"
#include "adapters/inbound/job_file/word_texts.h"
#include "base/text.h"

namespace gp {
namespace {

using enum FieldKind;

// "auto" exists only in a job file: CompleteGpus replaces it by a real isolation.
constexpr auto kIsolations = [] {
  constexpr auto kWords = TextsOf(kIsolationWords);
  std::array<std::string_view, kWords.size() + 1> all;
  std::ranges::copy(kWords, all.begin());
  all.back() = "auto";
  return all;
}();
constexpr auto kTopologyLevels = TextsOf(kTopologyLevelWords);
constexpr int64_t kMib = int64_t{1} << 20;

int64_t MibCovering(int64_t bytes) { return (bytes + kMib - 1) / kMib; }

constexpr Field kGpuFields[] = {
    {.name = "count",
     .kind = kCount,
     .summary = "GPUs on each node; 0 for a job without any.",
     .default_text = "1",
     .example = "8",
     .synonyms = "number n",
     .low = 0,
     .high = kGpusPerNodeMax,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.resources.gpus.count = static_cast<int>(v.number); }},
    {.name = "model",
     .kind = kTexts,
     .summary =
         "Whole words of the GPU's name, or a list of such names, any of which may match. Case and "
         "spaces are ignored: `rtx8000` is a Quadro RTX 8000, `A10` is not an A100.",
     .default_text = "any",
     .example = "[H100, H200]",
     .synonyms = "models type",
     .pattern = kModelPattern,
     .high = static_cast<int64_t>(kModelsMax),
     .set = [](JobDraft& d, const FieldValue& v) { d.job.resources.gpus.models = v.list; }},
    {.name = "share",
     .kind = kShare,
     .summary = "The part of each GPU's compute to use. Below 1 it implies `isolation: timeslice` "
                "unless another isolation is given.",
     .default_text = "1",
     .example = "0.5",
     .synonyms = "fraction",
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.resources.gpus.share_thousandths = static_cast<int>(v.number);
         }},
    {.name = "memory",
     .kind = kSize,
     .summary =
         "Memory to reserve on each GPU. It reserves memory only: set `share` as well to leave "
         "compute to others. Implies `isolation: timeslice` unless another isolation is given.",
     .default_text = "the share's part",
     .example = "20GiB",
     .low = kMib,
     .high = kGpuMemoryMibMax * kMib,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.resources.gpus.memory_mib = MibCovering(v.number); }},
    {.name = "mig",
     .kind = kText,
     .summary = "The name of a MIG profile: the job gets the smallest instance that is at least as "
                "large. It replaces `share`, `memory` and `isolation: mig`.",
     .default_text = "none",
     .example = "3g.40gb",
     .synonyms = "mig_profile profile instance",
     .pattern = "^[1-7]g\\.[0-9]{1,4}gb$",
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.mig = ParseMigName(v.text);
           if (d.mig) return;
           const std::string message = "\"" + Printable(v.text, 60) +
                                       "\" is not a MIG profile: write it as 3g.40gb "
                                       "(gpu-platform gpus list shows those of each GPU)";
           d.problems.push_back({SpecProblem::Kind::kText, "resources.gpus.mig", message});
         }},
    {.name = "memory_min",
     .kind = kSize,
     .summary =
         "The minimum memory of the GPU itself. A card sold as 80 GB has about 79 GiB: write GB.",
     .default_text = "any",
     .example = "80GB",
     .synonyms = "min_memory vram",
     .low = kMib,
     .high = kGpuMemoryMibMax * kMib,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.resources.gpus.memory_mib_min = MibCovering(v.number);
         }},
    {.name = "isolation",
     .kind = kWord,
     .summary = "How a part of a GPU is isolated from its other users: jobs of the same user, with "
                "`mig` of any user. `timeslice`: time slicing. `mps`: NVIDIA MPS, on one GPU of a "
                "node; an error of one client ends all. `mig`: a MIG instance, the smallest that "
                "is large enough, on one GPU of a node. `auto`: the first of `mig`, `mps` and "
                "`timeslice` that is available now.",
     .default_text = "exclusive",
     .example = "mps",
     .synonyms = "sharing mode",
     .words = kIsolations,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           const auto choice = static_cast<size_t>(v.number);
           d.isolation_auto = choice >= std::size(kIsolationWords);
           if (!d.isolation_auto) d.job.resources.gpus.isolation = kIsolationWords[choice].value;
           d.isolation_given = true;
         }},
};

std::span<const Field> GpuFields() { return kGpuFields; }

constexpr Field kResourceFields[] = {
    {.name = "gpus",
     .kind = kGpus,
     .summary = "GPUs on each node: a count, `MODEL:COUNT`, or a map.",
     .default_text = "1",
     .example = "H100:8",
     .synonyms = "gpu accelerators accelerator nvidia.com/gpu",
     .low = 0,
     .high = kGpusPerNodeMax,
     .fields = GpuFields,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.resources.gpus.count = static_cast<int>(v.number);
           d.job.resources.gpus.models = v.list;
         }},
    {.name = "cpus",
     .kind = kCount,
     .summary = "Cores on each node.",
     .default_text = "the GPUs' part of the node",
     .example = "96",
     .synonyms = "cpu cores",
     .low = 1,
     .high = kCpusPerNodeMax,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.resources.cpus = static_cast<int>(v.number); }},
    {.name = "memory",
     .kind = kSize,
     .summary = "Host memory on each node.",
     .default_text = "the GPUs' part of the node",
     .example = "900GB",
     .synonyms = "mem ram",
     .low = kMib,
     .high = kMemoryBytesMax,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.resources.memory_bytes = v.number; }},
    {.name = "shm",
     .kind = kSizeOrAuto,
     .summary = "Size of /dev/shm on each node; it counts against the host memory.",
     .default_text = "auto: as much as the host memory",
     .example = "16GiB",
     .synonyms = "shm_size shared_memory",
     .low = kMib,
     .high = kMemoryBytesMax,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.resources.shm_bytes = v.number; }},
};

constexpr Field kAlternativeFields[] = {kNodesField, kNodesMinField, kResourceFields[0],
                                        kResourceFields[1], kResourceFields[2]};

constexpr Field kTopologyFields[] = {
    {.name = "require",
     .kind = kWord,
     .summary =
         "What the GPUs of a node must have in common; the job waits until such GPUs are free.",
     .default_text = "none",
     .example = "nvlink",
     .synonyms = "required",
     .words = kTopologyLevels,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.placement.topology.require = kTopologyLevelWords[v.number].value;
         }},
    {.name = "prefer",
     .kind = kWord,
     .summary = "What they should have in common if this does not delay the start.",
     .default_text = "same_numa",
     .example = "same_numa",
     .synonyms = "preferred",
     .words = kTopologyLevels,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.placement.topology.prefer = kTopologyLevelWords[v.number].value;
         }},
    {.name = "allow_cross_numa",
     .kind = kBool,
     .summary = "Whether the job may span several NUMA nodes of a machine.",
     .default_text = "true",
     .example = "false",
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.placement.topology.allow_cross_numa = v.number != 0; }},
    {.name = "network_levels",
     .kind = kCount,
     .summary = "How many levels of the label `network`, a path such as row2/rack7, all nodes of "
                "the job must have in common. With 0 the nodes are still chosen as close to each "
                "other as possible.",
     .default_text = "0",
     .example = "2",
     .synonyms = "network rack same_rack switches",
     .low = 0,
     .high = kNetworkLevelsMax,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.placement.topology.network_levels = static_cast<int>(v.number);
         }},
};

}  // namespace

std::span<const Field> ResourceFields() { return kResourceFields; }
std::span<const Field> TopologyFields() { return kTopologyFields; }

std::span<const Field> AlternativeFields() { return kAlternativeFields; }

}  // namespace gp
