#include "adapters/inbound/job_import/sbatch_hints.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace gp {
namespace {

const std::map<std::string_view, std::string_view> kNoCounterpart{
    {"begin",
     "there is no time to begin: `at` and a submit, or gpu-platform jobs hold and release"},
    {"clusters", "a submit goes to the cluster that --server names"},
    {"comment", "say labels: {comment: …}"},
    {"constraint",
     "say node_labels:, and for GPUs resources: {gpus: {model: …}} (gpu-platform nodes label)"},
    {"container", "images of containers are not supported yet"},
    {"deadline", "gpu-platform jobs submit --plan says when it would start and end"},
    {"dependency", "ids of Slurm's jobs mean nothing here: say after: [JOB:ok] with ids of ours"},
    {"error", "output is kept with the job: gpu-platform jobs logs JOB"},
    {"exclude", "say node_labels: that those nodes have not"},
    {"exclusive",
     "a node is shared by jobs, a GPU by nobody unless they ask for parts; ask for all GPUs of a "
     "node to have it alone"},
    {"hold", "gpu-platform jobs hold JOB"},
    {"input", "write: program < file"},
    {"licenses", "there are no licences to count"},
    {"mail-type",
     "say notify: {to: [RECEIVER], on: [ended, failed]} with a receiver of the site "
     "(docs/how-to/notifications.md)"},
    {"mail-user",
     "say notify: {to: [RECEIVER]} with a receiver of the site (docs/how-to/notifications.md)"},
    {"overcommit", "each task has cores of its own: say resources: {cpus: …}"},
    {"nice", "say priority: low, medium, high or 0 to 1000"},
    {"no-requeue", "after a fault of the platform a job is always started again"},
    {"nodelist", "say node_labels: that only those nodes have"},
    {"output", "output is kept with the job: gpu-platform jobs logs JOB"},
    {"prefer", "say node_labels: to demand it"},
    {"priority", "say priority: low, medium, high or 0 to 1000"},
    {"switches", "say topology: {network_levels: 1} or more"},
    {"time-min", "only time_limit is there"},
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
