#pragma once

// The keys of a job file.  Decoding, suggestions, the JSON Schema and the reference all use the
// same tables of fields (job_fields.cc, resource_fields.cc): a key is added there and nowhere else.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/mig_name.h"

namespace gp {

enum class FieldKind {
  kText,
  kCount,         // a whole number from low to high
  kSize,          // bytes from low to high, written with a unit
  kSizeOrAuto,    // the same, or the word auto
  kDuration,      // ns from low to high
  kDurationSpan,  // "10s..5m", or one duration for both ends
  kBool,
  kWord,
  kWords,         // a list of words
  kPriority,      // a word or a number
  kShare,         // thousandths
  kTexts,         // one text, or a list of at most `high`
  kGpus,          // a count, MODEL:COUNT, or a map of `fields`
  kArray,         // a count, COUNT%PARALLEL, or a map of `fields`
  kVariables,     // a map to scalars; an empty one must be given at submit
  kLabels,        // a map to scalars
  kRules,         // a map of at most `high` texts to `words`
  kCommand,       // a script or a list of arguments
  kObject,        // a map of `fields`
  kObjects,       // a list of at most `high` maps of `fields`; `set` adds an empty one to the job
  kAlternatives,  // the same, where each map starts from the job's own keys
  kNotYet,        // known, and refused until it is supported
};

// A value that was read and has the field's kind.
struct FieldValue {
  int64_t number = 0;       // also: the position of a word, 0 or 1, the low end of a span
  int64_t number_high = 0;  // the high end of a span; the number after the %
  std::string text;
  std::vector<std::string> list;
  std::map<std::string, std::string> entries;
};

// A job while it is read, with what CompleteDraft needs to fill in values that depend on several
// keys.
struct JobDraft {
  JobSpec job;
  bool isolation_given = false;
  bool isolation_auto = false;
  std::optional<MigDemand> mig;
  bool retry_max_given = false;
  bool retry_on_given = false;
  std::vector<SpecProblem> problems;  // what FindProblems cannot see in the finished job
};

// One key: its kind and range, its documentation, and the function that stores its value.
struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::kText;
  std::string_view summary = {};
  std::string_view default_text = {};  // empty: none
  std::string_view example = {};
  std::string_view synonyms = {};  // other names that users try, separated by spaces
  std::string_view alias = {};     // an older name: accepted, but not documented
  std::string_view pattern = {};   // regular expression of valid texts, for the schema
  bool required = false;
  std::string_view unless = {};  // with this key it is not required
  int64_t low = 0;
  int64_t high = 0;
  std::span<const std::string_view> words = {};
  std::span<const Field> (*fields)() = nullptr;
  void (*set)(JobDraft& draft, const FieldValue& value) = nullptr;

  // The keys below this one.
  std::span<const Field> Below() const {
    return fields == nullptr ? std::span<const Field>() : fields();
  }
};

inline constexpr std::string_view kModelPattern = "[A-Za-z0-9][A-Za-z0-9 ._+()-]{0,63}";

// The keys at the top level of a job file, under resources, under topology, and of an alternative.
std::span<const Field> JobFields();
std::span<const Field> ResourceFields();
std::span<const Field> RetryFields();
std::span<const Field> CheckpointFields();
std::span<const Field> TopologyFields();
std::span<const Field> AlternativeFields();
std::span<const Field> StageFields();
std::span<const Field> ArtifactFields();

// The field at a path such as "resources.gpus.count"; nullptr: there is none.
const Field* FindField(std::string_view path);

// Fills in the GPU request from the keys of the job, or of one alternative.
void CompleteGpus(JobDraft& draft);

// For isolation auto that was resolved to MIG: the same request with MPS and with time slicing,
// used when no instance is available.  Otherwise empty.
std::vector<Alternative> OtherWaysToShare(const JobDraft& draft);

// Fills in what depends on several keys, and replaces ${JOB_NAME} in paths.
void CompleteDraft(JobDraft& draft);

}  // namespace gp
