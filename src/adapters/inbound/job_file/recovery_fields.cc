// The keys of a job's retries and checkpoints.

#include <algorithm>
#include <iterator>

#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/word_texts.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

using enum FieldKind;

constexpr auto kSignals = TextsOf(kSignalWords);
constexpr std::string_view kBestScores[] = {"min", "max"};
constexpr std::string_view kRetryCauses[] = {"failure", "node_failure", "gpu_error", "preempted"};

void SetRetryCauses(JobDraft& draft, const FieldValue& value) {
  const bool on_failure = std::ranges::find(value.list, "failure") != value.list.end();
  const size_t platform_causes = value.list.size() - (on_failure ? 1 : 0);
  draft.job.recovery.retry.on_failure = on_failure;
  draft.retry_on_given = true;
  if (platform_causes == 0 || platform_causes == std::size(kRetryCauses) - 1) return;
  draft.problems.push_back({SpecProblem::Kind::kContradiction, "retry.on",
                            "node_failure, gpu_error and preempted always restart a job: name "
                            "all three or none"});
}

constexpr Field kRetryFields[] = {
    {.name = "max",
     .kind = kCount,
     .summary = "How often the program may be restarted after its own failures. Restarts after "
                "faults of the platform do not count.",
     .default_text = "3",
     .example = "3",
     .synonyms = "max_retries attempts limit",
     .low = 0,
     .high = kRetriesMax,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.recovery.retry.retries_max = static_cast<int>(v.number);
           d.retry_max_given = true;
         }},
    {.name = "backoff",
     .kind = kDurationSpan,
     .summary = "The wait before a restart: the first one and the longest. It doubles each time.",
     .default_text = "10s..5m",
     .example = "10s..5m",
     .synonyms = "delay wait",
     .low = 0,
     .high = kGraceMax.ns,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.recovery.retry.backoff_min = Duration{v.number};
           d.job.recovery.retry.backoff_max = Duration{v.number_high};
         }},
    {.name = "on",
     .kind = kWords,
     .summary = "`failure`: restart after the program's own failures too. After faults of the "
                "platform the job is always restarted; name all three of them or none.",
     .default_text = "failure if `max` is given and not 0",
     .example = "[failure, node_failure, gpu_error, preempted]",
     .words = kRetryCauses,
     .set = SetRetryCauses},
};

constexpr Field kCheckpointFields[] = {
    {.name = "dir",
     .kind = kText,
     .summary = "Where the program keeps its checkpoints (GP_CHECKPOINT_DIR); an absolute path. "
                "`${JOB_NAME}` stands for the job's name.",
     .default_text = "none",
     .example = "/ckpt/${JOB_NAME}",
     .synonyms = "directory path",
     .pattern = "^/",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.recovery.checkpoint.directory = v.text; }},
    {.name = "grace",
     .kind = kDuration,
     .summary = "Time from the stop signal until the program is killed.",
     .default_text = "30s",
     .example = "120s",
     .synonyms = "grace_period",
     .low = 0,
     .high = kGraceMax.ns,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.policy.grace = Duration{v.number}; }},
    {.name = "signal",
     .kind = kWord,
     .summary =
         "The signal that requests a checkpoint, in place of SIGTERM. It is sent to the processes "
         "of the job that handle it, at the interval `every` and when the job must stop.",
     .default_text = "none",
     .example = "SIGUSR1",
     .words = kSignals,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.recovery.checkpoint.signal = kSignalWords[v.number].value;
         }},
    {.name = "every",
     .kind = kDuration,
     .summary = "The checkpoint interval: the signal is sent at this interval while the job runs.",
     .default_text = "only when it must stop",
     .example = "15m",
     .synonyms = "interval period",
     .low = Duration::Seconds(1).ns,
     .high = kTimeLimitMax.ns,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.recovery.checkpoint.every = Duration{v.number}; }},
    {.name = "keep",
     .kind = kCount,
     .summary = "How many complete checkpoints are kept, the newest; older ones are removed while "
                "the job runs.",
     .default_text = "all",
     .example = "3",
     .synonyms = "retention",
     .low = 1,
     .high = kCheckpointsKeptMax,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.recovery.checkpoint.keep = static_cast<int>(v.number);
         }},
    {.name = "best",
     .kind = kWord,
     .summary = "In addition to these, the checkpoint that was reported with the lowest or highest "
                "`score=` is kept.",
     .default_text = "none",
     .example = "min",
     .synonyms = "keep_best",
     .words = kBestScores,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.recovery.checkpoint.best = v.number == 0 ? BestScore::kMin : BestScore::kMax;
         }},
    {.name = "copy_to",
     .kind = kText,
     .summary = "URL below which each complete checkpoint is copied: s3, gs or file. A checkpoint "
                "counts once it is copied; an attempt on a node without it resumes from the copy. "
                "`${JOB_NAME}` stands for the job's name.",
     .default_text = "none is copied",
     .example = "s3://ckpt/${JOB_NAME}",
     .synonyms = "copy upload_to remote",
     .pattern = "^(s3|gs|file)://",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.recovery.checkpoint.copy_to = v.text; }},
    {.name = "credentials",
     .kind = kText,
     .summary = "Secret with the credentials of `copy_to`. The job does not get it.",
     .default_text = "none",
     .example = "S3_CKPT",
     .synonyms = "secret",
     .pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.recovery.checkpoint.credentials = v.text; }},
};

}  // namespace

std::span<const Field> RetryFields() { return kRetryFields; }
std::span<const Field> CheckpointFields() { return kCheckpointFields; }

}  // namespace gp
