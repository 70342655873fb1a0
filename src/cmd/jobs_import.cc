#include "cmd/jobs_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/job_file.h"
#include "adapters/inbound/job_import/kubernetes.h"
#include "adapters/inbound/job_import/sbatch.h"
#include "cmd/submit.h"

namespace gp {
namespace {

struct ImportFlags {
  std::string file;
  std::string from;
  bool strict = false;
};

Result<ImportedJob> Import(const ImportFlags& flags, const std::string& text) {
  const bool has_directives = text.starts_with("#SBATCH") || text.find("\n#SBATCH") != std::string::npos;
  const bool is_sbatch = flags.from.empty() ? has_directives : flags.from == "sbatch";
  return is_sbatch ? ImportSbatch(flags.file, text) : ImportKubernetes(flags.file, text);
}

// Whether `jobs submit` would take it, once variables are given.
bool IsSound(const std::string& file, const std::string& text) {
  std::vector<Diagnostic> found = DecodeJobFile(file, text).diagnostics;
  std::erase_if(found, [](const Diagnostic& one) { return one.code == CodeText(JobFileCode::kVariableNotGiven); });
  if (found.empty()) return true;
  std::fputs(RenderDiagnostics(found, "what is asked for cannot be had here; these are lines of the job file that was made").c_str(), stderr);
  return false;
}

nlohmann::ordered_json DocumentOf(const ImportedJob& imported) {
  nlohmann::ordered_json notes = nlohmann::ordered_json::array();
  for (const ImportNote& note : imported.notes) notes.push_back({{"line", note.line}, {"what", note.what}, {"why", note.why}});
  return {{"job_file", imported.text}, {"notes", std::move(notes)}};
}

void ImportFile(const ImportFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto text = ReadJobFile(flags.file);
  if (!text) return cli.Complain(text.error());
  const auto imported = Import(flags, *text);
  if (!imported) return cli.Complain(InvalidArgument(flags.file + ": " + imported.error().message));
  for (const ImportNote& note : imported->notes) cli.Say(fmt::format("{}:{}: {}: {}", flags.file, note.line, note.what, note.why));
  if (!IsSound("made of " + flags.file, imported->text) || (flags.strict && !imported->notes.empty())) {
    cli.exit_code = kExitUsage;
    return;
  }
  if (cli.PrintDocument(DocumentOf(*imported))) return;
  std::fputs(imported->text.c_str(), stdout);
}

}  // namespace

void AddJobsImport(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("import", "A job of Slurm or Kubernetes as a job file; says all that it leaves out");
  auto flags = std::make_shared<ImportFlags>();
  sub->add_option("file", flags->file, "A script with #SBATCH lines, or Jobs and Pods in YAML; - is stdin")->type_name("FILE")->required();
  sub->add_option("--from", flags->from, "Whose it is; default: told by the #SBATCH lines")->check(CLI::IsMember({"sbatch", "kubernetes"}));
  sub->add_flag("--strict", flags->strict, "Fails where anything is left out or meant otherwise");
  sub->callback([flags, &cli] { ImportFile(*flags, cli); });
}

}  // namespace gp
