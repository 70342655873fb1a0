#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/reference.h"
#include "adapters/inbound/job_file/schema.h"
#include "base/text.h"
#include "cmd/cli.h"

namespace gp {
namespace {

// `kind`: its name in a document.
void Print(const std::optional<std::string>& text, const char* kind, const std::string& what,
           const char* where, Cli& cli) {
  if (!text)
    return cli.Complain(NotFound("nothing is known of \"" + Printable(what, 60) + "\": " + where));
  if (!cli.PrintDocument(nlohmann::ordered_json{{kind, what}, {"text", *text}}))
    std::printf("%s\n", text->c_str());
}

}  // namespace

void AddExplain(CLI::App& app, Cli& cli) {
  CLI::App* explain =
      app.add_subcommand("explain", "Explain an error code or a key of the job file");
  explain->require_subcommand(1);
  auto what = std::make_shared<std::string>();
  CLI::App* error = explain->add_subcommand("error", "Explain an error code, such as GP1007");
  error->add_option("code", *what, "The code")->required();
  error->callback(
      [what, &cli] { Print(ExplainCode(*what), "code", *what, "codes look like GP1007", cli); });
  CLI::App* field =
      explain->add_subcommand("field", "Explain a key of the job file, such as job.resources.gpus");
  field->add_option("path", *what, "The key with its parents")->required();
  field->callback([what, &cli] {
    Print(ExplainField(*what), "field", *what, "try job, job.resources, job.retry …", cli);
  });
  explain->add_subcommand("schema", "Print the job file's JSON Schema, for editors")->callback([] {
    std::printf("%s", JobFileSchema().c_str());
  });
}

}  // namespace gp
