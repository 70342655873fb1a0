#include "adapters/inbound/job_import/slurm/import_sbatch.h"

#include <algorithm>
#include <iterator>

#include "adapters/inbound/job_import/slurm/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm/sbatch_hints.h"
#include "adapters/inbound/job_import/slurm/sbatch_options.h"
#include "adapters/inbound/job_import/slurm/script_arguments.h"
#include "adapters/inbound/job_import/slurm/slurm_demand.h"
#include "adapters/inbound/job_import/slurm/slurm_steps.h"
#include "adapters/inbound/job_import/slurm/slurm_words.h"
#include "base/text.h"
#include "domain/model/jobs/job_name.h"

namespace gp {
namespace {

constexpr std::string_view kHeader = "#GPU ";

// Imports one script: takes its directives, then writes the new script.
class SbatchImport {
 public:
  SbatchImport(std::string_view file_name, SbatchScript script, const ImportOptions& options)
      : script_(std::move(script)), options_(options, draft_) {
    draft_.notes = script_.notes;
    Put(draft_.job_file, {"name"}, Text(JobNameFromPath(file_name)));
  }

  Result<ImportedJob> Do() {
    for (size_t i = 0; i < script_.directives.size(); ++i) {
      const Directive& one = script_.directives[i];
      // Of a repeated option only the last one counts.
      const auto is_again = [&](const Directive& later) {
        return one.is_known && later.is_known && later.name == one.name;
      };
      if (std::any_of(script_.directives.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      script_.directives.end(), is_again))
        continue;
      if (!GP_TRY(Take(one))) draft_.Note(one, WhyNot(one));
    }
    options_.PutTime();
    ImportedJob imported;
    imported.text = NewText();
    imported.notes = std::move(draft_.notes);
    std::ranges::stable_sort(imported.notes, {}, &ImportNote::line);
    return imported;
  }

 private:
  static std::string WhyNot(const Directive& one) {
    if (!one.is_known) return "is not a known option of sbatch";
    return std::string(HintForOption(one.name));
  }

  // Whether the directive was handled: its values are in the job file, or it has a note.
  Result<bool> Take(const Directive& one) {
    if (ChangesNothing(one.name)) return one.is_known;
    if (const auto wrong = demand_.Take(one)) {
      if (!wrong->empty()) draft_.Note(one, *wrong);
      return true;
    }
    return options_.Take(one);
  }

  std::string NewText() {
    const std::string first_line = script_.first_line.empty() ? "#!/bin/sh" : script_.first_line;
    ReadFacts(first_line);
    StepUse use;
    if (draft_.facts.is_shell) {
      NoteArguments(script_.body, draft_.notes);
      use = TakeSteps(
          {demand_.Nodes(), demand_.TasksPerNode(), demand_.GpusPerTask(), demand_.GpusPerNode()},
          script_.body, draft_.notes);
    } else {
      NoteForeignArguments(script_.body, draft_.notes);
    }
    draft_.facts.has_steps = use.has_steps;
    demand_.PutInto(draft_.job_file, use.has_tasks, draft_.notes);
    std::vector<std::string> preamble = SlurmVariables(script_.body, draft_.facts, draft_.notes);
    std::ranges::move(StepFunctions(use), std::back_inserter(preamble));
    std::string text = first_line + "\n";
    for (const std::string& line : Split(ToYaml(draft_.job_file), '\n')) {
      if (!line.empty()) text += std::string(kHeader) + line + "\n";
    }
    for (const std::string& line : preamble) text += line + "\n";
    for (const auto& [number, line] : script_.body)
      text += (line.starts_with("#GPU") ? "# " + line.substr(1) : line) + "\n";
    return text;
  }

  void ReadFacts(const std::string& first_line) {
    constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ksh", "zsh"};
    for (const std::string& word : Split(first_line, ' ')) {
      draft_.facts.is_shell |=
          std::ranges::find(kShells, word.substr(word.rfind('/') + 1)) != std::end(kShells);
      draft_.facts.is_login_shell |=
          word == "--login" ||
          (word.starts_with('-') && !word.starts_with("--") && word.find('l') != std::string::npos);
    }
    draft_.facts.tasks_per_node = demand_.TasksPerNode();
    if (const auto cpus = demand_.CpusPerTask())
      draft_.facts.stated["SLURM_CPUS_PER_TASK"] = std::to_string(*cpus);
    if (const YamlEntry* name = draft_.job_file.Find("name"))
      draft_.facts.stated["SLURM_JOB_NAME"] = name->value.text;
    if (const YamlEntry* project = draft_.job_file.Find("project"))
      draft_.facts.stated["SLURM_JOB_ACCOUNT"] = project->value.text;
  }

  SbatchScript script_;
  SbatchDraft draft_;
  SbatchOptions options_;
  SlurmDemand demand_;
};

}  // namespace

Result<ImportedJob> ImportSbatch(std::string_view file_name, std::string_view text,
                                 const ImportOptions& options) {
  SbatchScript script = ReadSbatchScript(text);
  const auto is_ours = [](const ScriptLine& line) {
    return line.text == "#GPU" || line.text.starts_with("#GPU ");
  };
  const auto ours = std::ranges::find_if(script.body, is_ours);
  const auto part = std::ranges::find_if(script.directives, [](const Directive& one) {
    return one.name == "hetjob" || one.name == "packjob";
  });
  if (part != script.directives.end())
    return Fail(InvalidArgument("line " + std::to_string(part->line) + ": a heterogeneous job (" +
                                part->name + "): make a job of each part, or use any_of"));
  if (ours != script.body.end())
    return Fail(InvalidArgument("line " + std::to_string(ours->number) +
                                ": there are #GPU lines already: submit the script unchanged"));
  if (script.directives.empty())
    return Fail(InvalidArgument("there is no #SBATCH line before the first command"));
  return SbatchImport(file_name, std::move(script), options).Do();
}

}  // namespace gp
