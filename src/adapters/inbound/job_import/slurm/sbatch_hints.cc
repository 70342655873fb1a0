#include "adapters/inbound/job_import/slurm/sbatch_hints.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace gp {
namespace {

const std::map<std::string_view, std::string_view> kNoCounterpart{
    {"begin",
     "a job has no begin time: submit it with `at`, or use gpu-platform jobs hold and release"},
    {"clusters", "a job is submitted to the cluster that --server names"},
    {"comment", "set labels: {comment: …}"},
    {"constraint",
     "set node_labels:, and for GPUs resources: {gpus: {model: …}} (gpu-platform nodes label)"},
    {"container",
     "set image: to the name of an image, dir:/path, oci:/path:tag, or the path of a squashfs file "
     "(docs/images.md)"},
    {"deadline", "gpu-platform jobs submit --plan shows when it would start and end"},
    {"dependency",
     "Slurm job ids are unknown here: set after: [JOB:ok] with job ids of this platform"},
    {"error", "output is stored with the job: gpu-platform jobs logs JOB"},
    {"exclude", "set node_labels: that those nodes do not have"},
    {"exclusive",
     "jobs share a node, but a GPU only if they request parts of it; request all GPUs of a node to "
     "use it alone"},
    {"hold", "gpu-platform jobs hold JOB"},
    {"input", "in the script write: program < file"},
    {"licenses", "licenses are not supported"},
    {"mail-type",
     "set notify: {to: [RECEIVER], on: [ended, failed]} with a receiver of the site "
     "(docs/how-to/notifications.md)"},
    {"mail-user",
     "set notify: {to: [RECEIVER]} with a receiver of the site (docs/how-to/notifications.md)"},
    {"overcommit", "each task has its own cores: set resources: {cpus: …}"},
    {"nice", "set priority: low, medium, high or 0 to 1000"},
    {"no-requeue", "after a fault of the platform a job is always restarted"},
    {"nodelist", "set node_labels: that only those nodes have"},
    {"output", "output is stored with the job: gpu-platform jobs logs JOB"},
    {"prefer", "set node_labels: to require it"},
    {"priority", "set priority: low, medium, high or 0 to 1000"},
    {"switches", "set topology: {network_levels: 1} or more"},
    {"time-min", "there is only time_limit"},
    {"tmp", "disk space is not reserved"},
    {"wait", "gpu-platform jobs wait JOB"},
    {"wrap", "--wrap belongs on sbatch's command line"},
};

constexpr std::string_view kWithoutMeaning[] = {
    "ignore-pbs", "kill-on-invalid-dep", "open-mode", "parsable", "quiet", "requeue",
    "verbose",    "wait-all-nodes"};

}  // namespace

std::string_view HintForOption(std::string_view name) {
  const auto hint = kNoCounterpart.find(name);
  return hint == kNoCounterpart.end() ? "has no counterpart" : hint->second;
}

bool ChangesNothing(std::string_view name) {
  return std::ranges::find(kWithoutMeaning, name) != std::end(kWithoutMeaning);
}

}  // namespace gp
