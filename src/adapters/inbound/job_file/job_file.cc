#include "adapters/inbound/job_file/job_file.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/decode.h"
#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/overrides.h"
#include "adapters/inbound/job_file/script.h"
#include "domain/model/jobs/job_name.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {
namespace {

// Makes the whole script the job's command, as if the header had a key `run`.
bool AddCommand(std::vector<std::string> command, const SourceText& source, YamlNode& document,
                Report& report) {
  if (document.kind != YamlNode::Kind::kMap) return true;  // the decoder will refuse it
  if (const YamlEntry* run = document.Find("run")) {
    report.Add(run->place, JobFileCode::kBadScriptHeader,
               "the job runs the script itself: remove run from its header");
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

// Whether the command is a shell with its script as text ("sh -c TEXT"): the next argument is $0
// for it, not $1.
bool IsShellText(const std::vector<std::string>& command) {
  if (command.size() < 3) return false;
  // Backwards over "-c" and other options of the shell.
  auto word = command.rbegin() + 1;
  if (!word->starts_with('-') || !word->ends_with('c')) return false;
  while (word != command.rend() && word->starts_with('-')) ++word;
  if (word == command.rend()) return false;
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ksh", "zsh"};
  return std::ranges::find(kShells, word->substr(word->rfind('/') + 1)) != std::end(kShells);
}

void AddArguments(const std::vector<std::string>& arguments, JobSpec& job) {
  if (arguments.empty()) return;
  if (IsShellText(job.program.command)) job.program.command.push_back(job.name);
  job.program.command.insert(job.program.command.end(), arguments.begin(), arguments.end());
}

// Checks the commands with the added arguments; commands of the file itself were checked before.
void CheckArguments(const std::vector<std::string>& arguments, const DecodedJobs& decoded,
                    Report& report, const SourceText& source) {
  if (arguments.empty()) return;
  for (const JobSpec& job : decoded.jobs) {
    const std::vector<SpecProblem> problems = FindProblems(job);
    const auto found = std::ranges::find(problems, "run", &SpecProblem::field);
    if (found == problems.end()) continue;
    report.Add({&source}, FileCode::kBadText,
               "with the arguments behind --: run " + found->message);
    return;
  }
}

// Renames keys with an older name to their present name.
void ResolveAliases(YamlNode& document, Report& report) {
  for (const Field& field : JobFields()) {
    YamlEntry* entry = field.alias.empty() ? nullptr : document.Find(field.alias);
    if (entry == nullptr) continue;
    if (document.Find(field.name) == nullptr) {
      entry->key = field.name;
      continue;
    }
    report.Add(entry->place, FileCode::kDuplicateKey,
               entry->key + " is an older name of " + std::string(field.name) +
                   ", which is given too: remove one");
    std::erase_if(document.entries, [&](const YamlEntry& one) { return one.key == field.alias; });
  }
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
    ResolveAliases(document, report);
    for (const Override& change : changes) {
      if (document.kind == YamlNode::Kind::kMap) ApplyOverride(change, document, report);
    }
    const size_t position = decoded.jobs.size() + 1;
    const std::string suffix = position > 1 ? "-" + std::to_string(position) : "";
    if (auto job = DecodeJob(document, name + suffix, report)) {
      AddArguments(options.arguments, *job);
      decoded.jobs.push_back(std::move(*job));
    }
  }
  CheckArguments(options.arguments, decoded, report, source);
  decoded.diagnostics = report.Take();
  if (!decoded.diagnostics.empty()) decoded.jobs.clear();
  return decoded;
}

}  // namespace gp
