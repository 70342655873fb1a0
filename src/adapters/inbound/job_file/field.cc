#include "adapters/inbound/job_file/field.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

// `later`: another variable that is known, and is replaced on the node; empty: there is none.
void ExpandName(JobDraft& draft, const char* field, std::string& text,
                std::string_view later = "") {
  constexpr std::string_view kJobName = "${JOB_NAME}";
  for (size_t at = 0; (at = text.find("${", at)) != std::string::npos;) {
    if (!later.empty() && text.compare(at, later.size(), later) == 0) {
      at += later.size();
      continue;
    }
    if (text.compare(at, kJobName.size(), kJobName) != 0) {
      const std::string also = later.empty() ? " is" : " and " + std::string(later) + " are";
      draft.problems.push_back(
          {SpecProblem::Kind::kText, field, "only ${JOB_NAME}" + also + " known in a path"});
      return;
    }
    text.replace(at, kJobName.size(), draft.job.name);
    at += draft.job.name.size();
  }
}

void ExpandVariables(JobDraft& draft) {
  CheckpointRequest& checkpoint = draft.job.recovery.checkpoint;
  ExpandName(draft, "checkpoint.dir", checkpoint.directory);
  ExpandName(draft, "checkpoint.copy_to", checkpoint.copy_to);
  for (Artifact& artifact : draft.job.program.artifacts) {
    ExpandName(draft, "artifacts", artifact.from);
    ExpandName(draft, "artifacts", artifact.to, kJobIdInUrl);
  }
}

}  // namespace

const Field* FindField(std::string_view path) {
  std::span<const Field> fields = JobFields();
  const Field* found = nullptr;
  for (const std::string& name : Split(path, '.')) {
    const auto field = std::ranges::find_if(fields, [&](const Field& one) {
      return name == one.name || (!name.empty() && name == one.alias);
    });
    if (field == fields.end()) return nullptr;
    found = &*field;
    fields = field->Below();
  }
  return found;
}

void CompleteGpus(JobDraft& draft) {
  GpuRequest& gpus = draft.job.resources.gpus;
  const bool is_part = gpus.share_thousandths != kShareMax || gpus.memory_mib != 0;
  if (draft.mig) {
    const bool is_mig =
        !draft.isolation_given || draft.isolation_auto || gpus.isolation == Isolation::kMig;
    if (is_part)
      draft.problems.push_back({SpecProblem::Kind::kContradiction, "resources.gpus.mig",
                                "a MIG profile has a size: leave share and memory out"});
    if (!is_mig)
      draft.problems.push_back({SpecProblem::Kind::kContradiction, "resources.gpus.mig",
                                "a MIG profile implies isolation: mig: leave isolation out"});
    gpus.share_thousandths = draft.mig->share_thousandths;
    gpus.memory_mib = draft.mig->memory_mib;
    gpus.isolation = Isolation::kMig;
    return;
  }
  if (is_part && gpus.count > 0 && !draft.isolation_given) gpus.isolation = Isolation::kTimeslice;
  if (!draft.isolation_auto) return;
  gpus.isolation = !is_part || gpus.count == 0 ? Isolation::kExclusive
                   : gpus.count == 1           ? Isolation::kMig
                                               : Isolation::kTimeslice;
}

std::vector<Alternative> OtherWaysToShare(const JobDraft& draft) {
  const JobSpec& job = draft.job;
  if (!draft.isolation_auto || job.resources.gpus.isolation != Isolation::kMig) return {};
  std::vector<Alternative> others(
      2, {job.resources.nodes, job.resources.nodes_min, job.resources.gpus, job.resources.cpus,
          job.resources.memory_bytes});
  others[0].gpus.isolation = Isolation::kMps;
  others[1].gpus.isolation = Isolation::kTimeslice;
  return others;
}

void CompleteDraft(JobDraft& draft) {
  CompleteGpus(draft);
  for (const Alternative& other : OtherWaysToShare(draft))
    draft.job.resources.any_of.push_back(other);
  RetryPolicy& retry = draft.job.recovery.retry;
  if (draft.retry_max_given && !draft.retry_on_given) retry.on_failure = retry.retries_max > 0;
  ExpandVariables(draft);
}

}  // namespace gp
