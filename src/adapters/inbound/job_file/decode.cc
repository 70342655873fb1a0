#include "adapters/inbound/job_file/decode.h"

#include <algorithm>

#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/read_value.h"
#include "adapters/inbound/job_file/suggest.h"
#include "base/text.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

using enum FileCode;

// Reads the maps of one document into a draft, key by key, and reports what is wrong.
class Decoder {
 public:
  Decoder(JobDraft& draft, Report& report) : draft_(draft), report_(report) {}

  void ReadMap(const YamlNode& map, std::span<const Field> fields, const std::string& path);
  // To be called after everything else is read: alternatives start from the job's own keys.
  void ReadAlternatives();

 private:
  void ReadEntry(const YamlEntry& entry, const Field& field, const std::string& path);
  // False: the key cannot have a value, or has none, and the report says so.
  bool CheckHasValue(const YamlEntry& entry, const Field& field, const std::string& path);
  // False: the list is too long, and the report says so.
  bool CheckLength(const YamlNode& list, const Field& field, const std::string& path);
  void ReadObjects(const YamlNode& list, const Field& field, const std::string& path);
  void ReportMissing(const YamlNode& map, std::span<const Field> fields, const std::string& path);

  JobDraft& draft_;
  Report& report_;
  const YamlNode* alternatives_ = nullptr;
};

std::string Below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

void Decoder::ReadMap(const YamlNode& map, std::span<const Field> fields, const std::string& path) {
  for (const YamlEntry& entry : map.entries) {
    if (report_.IsFull()) return;
    const auto field = std::ranges::find(fields, entry.key, &Field::name);
    if (field == fields.end()) {
      report_.AddAt(Below(path, entry.key), entry.place, kUnknownKey,
                    UnknownKeyMessage(entry.key, path, fields));
    } else {
      ReadEntry(entry, *field, Below(path, field->name));
    }
  }
  ReportMissing(map, fields, path);
}

void Decoder::ReadEntry(const YamlEntry& entry, const Field& field, const std::string& path) {
  if (!CheckHasValue(entry, field, path)) return;
  const YamlNode& node = entry.value;
  const bool is_list = field.kind == FieldKind::kAlternatives || field.kind == FieldKind::kObjects;
  if (is_list && node.kind == YamlNode::Kind::kList) {
    if (!CheckLength(node, field, path)) return;
    if (field.kind == FieldKind::kObjects) return ReadObjects(node, field, path);
    alternatives_ = &node;
    return;
  }
  if (!is_list && node.kind == YamlNode::Kind::kMap && !field.Below().empty())
    return ReadMap(node, field.Below(), path);
  const auto value = ReadValue(field, node, {path, path, report_});
  if (value) field.set(draft_, *value);
}

bool Decoder::CheckHasValue(const YamlEntry& entry, const Field& field, const std::string& path) {
  if (field.kind == FieldKind::kNotYet) {
    report_.AddAt(path, entry.place, kNotSupportedYet,
                  path +
                      " is known but not supported yet: remove it (the job would run without "
                      "it)");
    return false;
  }
  if (entry.value.kind == YamlNode::Kind::kNull) {
    report_.AddAt(path, entry.place, kNoValue,
                  path + ": has no value: give it one, or remove the line");
    return false;
  }
  return true;
}

bool Decoder::CheckLength(const YamlNode& list, const Field& field, const std::string& path) {
  if (list.items.empty())
    report_.AddAt(path, list.place, kOutOfRange, path + ": the list is empty");
  if (static_cast<int64_t>(list.items.size()) <= field.high) return true;
  const char* what = field.kind == FieldKind::kAlternatives ? " alternatives" : " entries";
  report_.AddAt(path, list.place, kOutOfRange,
                path + ": at most " + std::to_string(field.high) + what);
  return false;
}

void Decoder::ReadObjects(const YamlNode& list, const Field& field, const std::string& path) {
  for (const YamlNode& item : list.items) {
    if (item.kind != YamlNode::Kind::kMap) {
      report_.AddAt(path, item.place, kWrongType,
                    path + ": each entry is a map, not " + Describe(item));
      continue;
    }
    field.set(draft_, {});
    ReadMap(item, field.Below(), path);
  }
}

void Decoder::ReadAlternatives() {
  if (alternatives_ == nullptr) return;
  std::vector<Alternative> ways;
  for (const YamlNode& item : alternatives_->items) {
    if (item.kind != YamlNode::Kind::kMap) {
      report_.AddAt(
          "any_of", item.place, kWrongType,
          "any_of: each entry is a map such as {gpus: \"H100:8\"}, not " + Describe(item));
      continue;
    }
    JobDraft way = draft_;
    Decoder(way, report_).ReadMap(item, AlternativeFields(), "any_of");
    CompleteGpus(way);
    draft_.problems = way.problems;
    ways.push_back({way.job.resources.nodes, way.job.resources.nodes_min, way.job.resources.gpus,
                    way.job.resources.cpus, way.job.resources.memory_bytes});
    for (const Alternative& other : OtherWaysToShare(way)) ways.push_back(other);
  }
  if (ways.empty()) return;
  JobSpec& job = draft_.job;
  job.resources.nodes = ways.front().nodes;
  job.resources.nodes_min = ways.front().nodes_min;
  job.resources.gpus = ways.front().gpus;
  job.resources.cpus = ways.front().cpus;
  job.resources.memory_bytes = ways.front().memory_bytes;
  job.resources.any_of.assign(ways.begin() + 1, ways.end());
  draft_.isolation_given = true;  // each alternative has its own isolation
  draft_.isolation_auto = false;
  draft_.mig.reset();
}

void Decoder::ReportMissing(const YamlNode& map, std::span<const Field> fields,
                            const std::string& path) {
  for (const Field& field : fields) {
    if (!field.required || map.Find(field.name) != nullptr) continue;
    if (!field.unless.empty() && map.Find(field.unless) != nullptr) continue;
    const std::string below = Below(path, field.name);
    report_.AddAt(below, map.place, kMissingKey,
                  below + " is missing: write " + below + ": " + std::string(field.example));
  }
}

// The place of the value at `path`, or of the nearest map around it.  Problems of variables and
// labels are shown at the name, which is on one line even if the value is long.
Place PlaceOf(const YamlNode& document, std::string_view path) {
  const bool is_named_by_user = FindField(path) == nullptr;
  const YamlNode* node = &document;
  Place place = document.place;
  while (true) {
    const size_t dot = path.find('.');
    const YamlEntry* whole = node->Find(path);  // names of labels contain dots
    const YamlEntry* entry = whole != nullptr ? whole : node->Find(path.substr(0, dot));
    if (entry == nullptr) return place;
    const bool at_value = entry->value.IsScalar() && !(is_named_by_user && whole != nullptr);
    place = at_value ? entry->value.place : entry->place;
    if (whole != nullptr || dot == std::string_view::npos) return place;
    node = &entry->value;
    path.remove_prefix(dot + 1);
  }
}

bool CheckIsMap(const YamlNode& document, Report& report) {
  if (document.kind == YamlNode::Kind::kMap) return true;
  std::string message =
      "a job file is a map of keys, as in \"run: python train.py\", not " + Describe(document);
  const size_t colon = document.text.find(':');
  if (document.IsScalar() && colon != std::string::npos) message += ": put a space after the colon";
  report.Add(document.place, kWrongType, std::move(message));
  return false;
}

void ReportProblems(const JobDraft& draft, const YamlNode& document, Report& report) {
  std::vector<SpecProblem> problems = draft.problems;
  std::ranges::copy(FindProblems(draft.job), std::back_inserter(problems));
  for (const SpecProblem& problem : problems) {
    if (report.DoubtsAbout(problem.field)) continue;
    report.Add(PlaceOf(document, problem.field), CodeOf(problem.kind),
               Printable(problem.field, 120) + ": " + problem.message);
  }
}

}  // namespace

FileCode CodeOf(SpecProblem::Kind kind) {
  switch (kind) {
    case SpecProblem::Kind::kRange: return kOutOfRange;
    case SpecProblem::Kind::kText: return kBadText;
    case SpecProblem::Kind::kContradiction: break;
  }
  return kContradiction;
}

std::optional<JobSpec> DecodeJob(const YamlNode& document, std::string_view default_name,
                                 Report& report) {
  report.ForgetDoubts();
  if (!CheckIsMap(document, report)) return std::nullopt;
  JobDraft draft;
  draft.job.name = default_name;
  Decoder decoder(draft, report);
  decoder.ReadMap(document, JobFields(), "");
  decoder.ReadAlternatives();
  CompleteDraft(draft);
  ReportProblems(draft, document, report);
  if (!report.empty()) return std::nullopt;
  return std::move(draft.job);
}

}  // namespace gp
