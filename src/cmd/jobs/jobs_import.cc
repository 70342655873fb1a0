#include "cmd/jobs/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/job_file.h"
#include "adapters/inbound/job_import/kubernetes/import_kubernetes.h"
#include "adapters/inbound/job_import/slurm/import_sbatch.h"
#include "base/text.h"
#include "cmd/jobs/submit.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

struct ImportFlags {
  std::string file;
  std::string from;
  std::vector<std::string> maps;
  bool strict = false;
};

// "gpu=training", of a flag or of a line of a file.
Status AddQueue(const std::string& text, const std::string& place, ImportOptions& options) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Fail(
        InvalidArgument(place + ": \"" + Printable(text, 60) + "\" is not PARTITION=QUEUE"));
  const std::string queue = text.substr(equals + 1);
  if (const auto fault = QueueFault(queue)) return Fail(InvalidArgument(place + ": " + *fault));
  options.queues[text.substr(0, equals)] = queue;
  return Ok();
}

// Pairs, and files of them: one on a line, # begins a comment.
Result<ImportOptions> ReadMaps(const std::vector<std::string>& maps) {
  ImportOptions options;
  for (const std::string& map : maps) {
    if (map.find('=') != std::string::npos) {
      GP_CHECK_OK(AddQueue(map, "--map", options));
      continue;
    }
    int number = 0;
    for (std::string line : Split(GP_TRY(ReadJobFile(map)), '\n')) {
      ++number;
      line.erase(std::min(line.find('#'), line.size()));
      std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
      if (!line.empty()) GP_CHECK_OK(AddQueue(line, map + ":" + std::to_string(number), options));
    }
  }
  return options;
}

Result<ImportedJob> Import(const ImportFlags& flags, const ImportOptions& options,
                           const std::string& text) {
  const bool has_directives =
      text.starts_with("#SBATCH") || text.find("\n#SBATCH") != std::string::npos;
  const bool is_sbatch = flags.from.empty() ? has_directives : flags.from == "sbatch";
  return is_sbatch ? ImportSbatch(flags.file, text, options)
                   : ImportKubernetes(flags.file, text, options);
}

// Whether `jobs submit` would take it, once variables are given.
bool IsSound(const std::string& file, const std::string& text) {
  std::vector<Diagnostic> found = DecodeJobFile(file, text).diagnostics;
  std::erase_if(found, [](const Diagnostic& one) {
    return one.code == CodeText(JobFileCode::kVariableNotGiven);
  });
  if (found.empty()) return true;
  std::fputs(
      RenderDiagnostics(
          found,
          "the request is not possible here; the lines are those of the job file that was made")
          .c_str(),
      stderr);
  return false;
}

nlohmann::ordered_json DocumentOf(const ImportedJob& imported) {
  nlohmann::ordered_json notes = nlohmann::ordered_json::array();
  for (const ImportNote& note : imported.notes)
    notes.push_back({{"line", note.line}, {"what", note.what}, {"why", note.why}});
  return {{"job_file", imported.text}, {"notes", std::move(notes)}};
}

void ImportFile(const ImportFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto text = ReadJobFile(flags.file);
  if (!text) return cli.Complain(text.error());
  const auto options = ReadMaps(flags.maps);
  if (!options) return cli.Complain(options.error());
  const auto imported = Import(flags, *options, *text);
  if (!imported) return cli.Complain(InvalidArgument(flags.file + ": " + imported.error().message));
  for (const ImportNote& note : imported->notes)
    cli.Say(fmt::format("{}:{}: {}: {}", flags.file, note.line, note.what, note.why));
  if (!IsSound("made of " + flags.file, imported->text) ||
      (flags.strict && !imported->notes.empty())) {
    cli.exit_code = kExitUsage;
    return;
  }
  if (cli.PrintDocument(DocumentOf(*imported))) return;
  std::fputs(imported->text.c_str(), stdout);
}

}  // namespace

void AddJobsImport(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "import", "Convert a Slurm or Kubernetes job to a job file; lists all that it leaves out");
  auto flags = std::make_shared<ImportFlags>();
  sub->add_option("file", flags->file,
                  "A script with #SBATCH lines, or workloads of Kubernetes in YAML; - is stdin")
      ->type_name("FILE")
      ->required();
  sub->add_option("--from", flags->from, "Source; default: recognized by the #SBATCH lines")
      ->check(CLI::IsMember({"sbatch", "kubernetes"}));
  sub->add_option("--map", flags->maps,
                  "Map a Slurm partition or a Kubernetes queue to a queue, or a file with such a "
                  "pair on each line")
      ->allow_extra_args(false)
      ->type_name("PARTITION=QUEUE|FILE");
  sub->add_flag("--strict", flags->strict, "Fail if anything is left out or changed");
  sub->callback([flags, &cli] { ImportFile(*flags, cli); });
}

}  // namespace gp
