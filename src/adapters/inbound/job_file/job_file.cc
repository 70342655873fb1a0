#include "adapters/inbound/job_file/job_file.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "adapters/inbound/job_file/check_text.h"
#include "adapters/inbound/job_file/decode.h"
#include "adapters/inbound/job_file/job_name.h"
#include "adapters/inbound/job_file/overrides.h"
#include "adapters/inbound/job_file/script.h"
#include "adapters/inbound/job_file/yaml_tree.h"

namespace gp {
namespace {

// The whole script becomes the job's command, as if the header had said so.
bool AddCommand(std::vector<std::string> command, const SourceText& source, YamlNode& document,
                Report& report) {
  if (document.kind != YamlNode::Kind::kMap) return true;  // the decoder will refuse it
  if (const YamlEntry* run = document.Find("run")) {
    report.Add(run->place, JobFileCode::kBadScriptHeader,
               "the script is what runs: remove run from its header");
    return false;
  }
  const Place whole{&source, 1, 1, 0};
  YamlEntry& run = document.entries.emplace_back();
  run.key = "run";
  run.place = whole;
  run.value.kind = YamlNode::Kind::kList;
  run.value.place = whole;
  for (std::string& argument : command) {
    YamlNode& item = run.value.items.emplace_back();
    item.kind = YamlNode::Kind::kQuoted;
    item.place = whole;
    item.text = std::move(argument);
  }
  return true;
}

std::vector<YamlNode> ReadScriptDocument(const SourceText& source, Report& report) {
  std::optional<Script> script = ReadScript(source, report);
  if (!script) return {};
  std::vector<YamlNode> documents = ReadYaml(source, script->yaml, report);
  if (documents.empty()) {
    documents.emplace_back().kind = YamlNode::Kind::kMap;
    documents.back().place = {&source, 1, 1, 0};
  }
  AddCommand(std::move(script->command), source, documents.front(), report);
  return documents;
}

std::vector<YamlNode> ReadDocuments(const SourceText& source, Report& report) {
  if (!CheckText(source, report)) return {};
  if (IsScript(source)) return ReadScriptDocument(source, report);
  std::vector<YamlNode> documents = ReadYaml(source, source.text, report);
  if (documents.empty() && report.empty()) {
    report.Add({&source}, JobFileCode::kNoJob,
               "there is no job in this file: write at least \"run: …\"");
  }
  return documents;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace

DecodedJobs DecodeJobFile(std::string_view file_name, std::string_view text,
                          const JobFileOptions& options) {
  Report report;
  SourceTexts sources;
  const SourceText& source =
      sources.emplace_back(std::string(file_name), std::string(WithoutByteOrderMark(text)));
  std::vector<YamlNode> documents = ReadDocuments(source, report);
  std::vector<Override> changes = ReadOverrides(options.overrides, sources, report);
  std::ranges::move(ReadVariables(options.environment, sources, report),
                    std::back_inserter(changes));

  DecodedJobs decoded;
  const std::string name = JobNameFromPath(file_name);
  for (YamlNode& document : documents) {
    for (const Override& change : changes) {
      if (document.kind == YamlNode::Kind::kMap) ApplyOverride(change, document, report);
    }
    const size_t position = decoded.jobs.size() + 1;
    const std::string suffix = position > 1 ? "-" + std::to_string(position) : "";
    if (auto job = DecodeJob(document, name + suffix, report)) {
      decoded.jobs.push_back(std::move(*job));
    }
  }
  decoded.diagnostics = report.Take();
  if (!decoded.diagnostics.empty()) decoded.jobs.clear();
  return decoded;
}

}  // namespace gp
