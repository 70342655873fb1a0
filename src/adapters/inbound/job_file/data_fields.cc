// The keys of the data that a job brings and takes.

#include "adapters/inbound/job_file/field.h"

namespace gp {
namespace {

using enum FieldKind;

constexpr std::string_view kUrlPattern = "^(s3|gs|hf|https?|file)://";

StagedData& LastStaged(JobDraft& draft) { return draft.job.program.stage.back(); }
Artifact& LastArtifact(JobDraft& draft) { return draft.job.program.artifacts.back(); }

constexpr Field kStageFields[] = {
    {.name = "from",
     .kind = kText,
     .summary = "URL of an object, or of all objects below a prefix: `s3://BUCKET/PREFIX`, "
                "`gs://BUCKET/PREFIX`, `hf://ORG/NAME@REVISION`, `https://HOST/PATH`, "
                "`file:///PATH`.",
     .example = "s3://corpora/wiki/2026",
     .synonyms = "source url uri src",
     .pattern = kUrlPattern,
     .required = true,
     .set = [](JobDraft& d, const FieldValue& v) { LastStaged(d).from = v.text; }},
    {.name = "to",
     .kind = kText,
     .summary = "Path where the job sees it, read-only. Without an image it is in /tmp, or is a "
                "directory that its nodes have.",
     .example = "/data/wiki",
     .synonyms = "path target dest destination mount",
     .pattern = "^/",
     .required = true,
     .set = [](JobDraft& d, const FieldValue& v) { LastStaged(d).to = v.text; }},
    {.name = "include",
     .kind = kTexts,
     .summary = "Patterns of the names below the prefix that are fetched; `*` stands for any "
                "characters, slashes too.",
     .default_text = "all",
     .example = "[\"*.parquet\"]",
     .synonyms = "patterns only files",
     .high = static_cast<int64_t>(kIncludesMax),
     .set = [](JobDraft& d, const FieldValue& v) { LastStaged(d).include = v.list; }},
    {.name = "credentials",
     .kind = kText,
     .summary = "Secret with the source's credentials (docs/data.md). The job does not get it.",
     .default_text = "none",
     .example = "S3_CORPORA",
     .synonyms = "secret token key",
     .pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
     .set = [](JobDraft& d, const FieldValue& v) { LastStaged(d).credentials = v.text; }},
    {.name = "sha256",
     .kind = kText,
     .summary = "Digest of a single object, in hexadecimal; another content is refused.",
     .default_text = "what the source itself says",
     .example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
     .synonyms = "checksum digest hash",
     .pattern = "^[0-9a-f]{64}$",
     .set = [](JobDraft& d, const FieldValue& v) { LastStaged(d).sha256 = v.text; }},
};

constexpr Field kArtifactFields[] = {
    {.name = "from",
     .kind = kText,
     .summary = "File or directory on the job's nodes, read with its user's rights.",
     .example = "/scratch/ana/out",
     .synonyms = "path source src",
     .pattern = "^/",
     .required = true,
     .set = [](JobDraft& d, const FieldValue& v) { LastArtifact(d).from = v.text; }},
    {.name = "to",
     .kind = kText,
     .summary = "URL below which it is copied: s3, gs or file. `${JOB_ID}` stands for the job's "
                "id, `${JOB_NAME}` for its name.",
     .example = "s3://results/${JOB_ID}",
     .synonyms = "target url dest destination",
     .pattern = "^(s3|gs|file)://",
     .required = true,
     .set = [](JobDraft& d, const FieldValue& v) { LastArtifact(d).to = v.text; }},
    {.name = "credentials",
     .kind = kText,
     .summary = "Secret with the target's credentials. The job does not get it.",
     .default_text = "none",
     .example = "S3_RESULTS",
     .synonyms = "secret token key",
     .pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
     .set = [](JobDraft& d, const FieldValue& v) { LastArtifact(d).credentials = v.text; }},
};

}  // namespace

std::span<const Field> StageFields() { return kStageFields; }
std::span<const Field> ArtifactFields() { return kArtifactFields; }

}  // namespace gp
