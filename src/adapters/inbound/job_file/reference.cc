#include "adapters/inbound/job_file/reference.h"

#include <vector>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/field.h"
#include "base/text.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {
namespace {

constexpr std::string_view kIntroduction = R"(# The job file

<!-- Written from the field table of src/adapters/inbound/job_file; change it there. -->

A job file is YAML (JSON is YAML too). Only `run` is required:

```yaml
name: llama-ft
nodes: 2                       # all start together or none does
resources:                     # on each node
  gpus: H100:8
  memory: 900GB
topology: {require: nvlink}
time_limit: 12h
env: {MODEL: llama, HF_TOKEN: }  # HF_TOKEN must be given: --env HF_TOKEN=…
run: |
  torchrun train.py            # it finds the nodes, the ranks and the GPUs in its environment
```

- One file may contain several jobs, separated by lines of `---`.
- A script may contain its job file in its first comments: each line begins with `#GPU `, the rest
  of these lines is YAML, and the job runs the script itself.
- `--set resources.gpus=4` changes one value, `--env NAME=value` sets a variable.

The file is read strictly: anything unknown is refused with its line and column, and no job of a
file with a problem is submitted. The rules are those on which all YAML readers agree:

- Unknown keys and repeated keys are refused, and so are anchors, aliases, merge keys, tags and
  directives.
- Numbers are plain decimal digits: `010`, `1e3` and `0x10` are refused. Booleans are `true` and
  `false`; `yes`, `no`, `on` and `off` are refused. Text that looks like either needs quotes, except
  under `env`, under `labels` and in a list for `run`, where values are taken as written.
- Sizes and durations have units. `GB` is 10⁹ bytes and `GiB` is 2³⁰; a day is 24 h.
- Inside `{ }` and `[ ]`, text with brackets needs quotes: `{dir: "/ckpt/${JOB_NAME}"}`.
- UTF-8 without control characters. JSON's surrogate pairs `\ud83d\ude80` are written `\U0001F680`.
)";

constexpr std::string_view kTypes = R"(
## Types

| Type | Written as |
| --- | --- |
| text | `llama`, `"007"`; names use letters, digits, `.`, `_` and `-` |
| number | `8` |
| size | `80GB`, `512MiB`, `1.5TB` |
| duration | `90s`, `15m`, `1d12h`, `1.5h` |
| share | `0.5`, `0.125`, `12.5%`; at most three decimals, never rounded |
| boolean | `true` or `false` |
)";

std::string Code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string Range(const Field& field) {
  return ", " + std::to_string(field.low) + " to " + std::to_string(field.high);
}

std::string Words(const Field& field) {
  std::vector<std::string> words;
  for (const std::string_view word : field.words) words.push_back(Code(word));
  return Join(words, ", ");
}

std::string TypeOf(const Field& field) {
  switch (field.kind) {
    case FieldKind::kText: return "text";
    case FieldKind::kCount: return "number" + Range(field);
    case FieldKind::kSize: return "size";
    case FieldKind::kSizeOrAuto: return "size or `auto`";
    case FieldKind::kDuration: return "duration";
    case FieldKind::kDurationSpan: return "duration, or two with `..` between them";
    case FieldKind::kBool: return "boolean";
    case FieldKind::kWord: return Words(field);
    case FieldKind::kWords: return "list of " + Words(field);
    case FieldKind::kPriority: return "`low`, `medium`, `high` or number" + Range(field);
    case FieldKind::kShare: return "share";
    case FieldKind::kTexts: return "text or list of texts";
    case FieldKind::kGpus: return "number" + Range(field) + "; `MODEL:COUNT`; or a map";
    case FieldKind::kArray: return "number" + Range(field) + "; `COUNT%PARALLEL`; or a map";
    case FieldKind::kVariables:
    case FieldKind::kLabels: return "map of names to values";
    case FieldKind::kRules: return "map of regular expressions to " + Words(field);
    case FieldKind::kCommand: return "text or list of texts";
    case FieldKind::kObject: return "map";
    case FieldKind::kObjects:
    case FieldKind::kAlternatives: return "list of maps";
    case FieldKind::kNotYet: return "not supported yet";
  }
  return "";
}

std::string Row(const Field& field) {
  std::string fallback(field.required ? "required" : field.default_text);
  if (!field.unless.empty()) fallback += ", unless " + Code(field.unless);
  const std::string example = field.example.empty() ? "" : Code(field.example);
  return "| " + Code(field.name) + " | " + TypeOf(field) + " | " + fallback + " | " +
         std::string(field.summary) + " | " + example + " |\n";
}

std::string Table(std::span<const Field> fields) {
  std::string text =
      "\n| Key | Type | Default | Meaning | Example |\n| --- | --- | --- | --- | --- |\n";
  for (const Field& field : fields) {
    if (field.kind != FieldKind::kNotYet) text += Row(field);
  }
  std::vector<std::string> later;
  for (const Field& field : fields) {
    if (field.kind == FieldKind::kNotYet) later.push_back(Code(field.name));
  }
  if (!later.empty()) text += "\nKnown, but refused until supported: " + Join(later, ", ") + ".\n";
  return text;
}

std::string Sections(std::span<const Field> fields, const std::string& path) {
  std::string text = "\n## " + (path.empty() ? "Top level" : Code(path)) + "\n" + Table(fields);
  for (const Field& field : fields) {
    if (field.Below().empty()) continue;
    text += Sections(field.Below(), path + (path.empty() ? "" : ".") + std::string(field.name));
  }
  return text;
}

std::string Limits() {
  return "\n## Limits\n\n| What | At most |\n| --- | --- |\n| bytes of a file | " +
         std::to_string(kSourceBytesMax) + " |\n| jobs in a file | " +
         std::to_string(kYamlDocumentsMax) + " |\n| values in a file | " +
         std::to_string(kYamlValuesMax) + " |\n| levels of lists and maps | " +
         std::to_string(kYamlDepthMax) + " |\n| bytes of a name | " +
         std::to_string(kNameLengthMax) + " |\n| bytes of a label's value | " +
         std::to_string(kLabelValueLengthMax) + " |\n| variables, labels | " +
         std::to_string(kMapEntriesMax) + " |\n| bytes of all variables | " +
         std::to_string(kEnvironmentBytesMax) + " |\n| bytes of a script or argument | " +
         std::to_string(kArgumentBytesMax) + " |\n| bytes of all arguments | " +
         std::to_string(kCommandBytesMax) + " |\n";
}

}  // namespace

std::string JobFileReference() {
  return std::string(kIntroduction) + Sections(JobFields(), "") + std::string(kTypes) + Limits();
}

std::string ErrorCodeReference() {
  std::string text =
      "# Error codes\n\n<!-- Written from src/adapters/inbound/job_file/codes.cc; change it there. "
      "-->\n\nThe meaning of a code never changes. `gpu-platform explain error GP1007` prints its "
      "row.\n\n## Job files\n\n| Code | Meaning | What to do |\n| --- | --- | --- |\n";
  for (const CodeEntry& entry : JobFileCodes()) {
    text += "| " + CodeText(entry.code) + " | " + std::string(entry.meaning) + " | " +
            std::string(entry.fix) + " |\n";
  }
  return text;
}

std::optional<std::string> ExplainField(std::string_view path) {
  if (path == "job") return "A job file.\n" + Table(JobFields());
  if (path.starts_with("job.")) path.remove_prefix(4);
  const Field* field = FindField(path);
  if (field == nullptr) return std::nullopt;
  std::string text =
      std::string(path) + ": " + TypeOf(*field) + "\n  " + std::string(field->summary) + "\n";
  if (!field->default_text.empty()) text += "  Default: " + std::string(field->default_text) + "\n";
  if (!field->example.empty()) text += "  Example: " + std::string(field->example) + "\n";
  return field->Below().empty() ? text : text + Table(field->Below());
}

std::optional<std::string> ExplainCode(std::string_view code) {
  const auto entry = FindCode(code);
  if (!entry) return std::nullopt;
  return CodeText(entry->code) + ": " + std::string(entry->meaning) + "\n" +
         std::string(entry->fix) + "\n";
}

}  // namespace gp
