#include "cmd/cli.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/document.h"
#include "adapters/wire/error.h"
#include "cmd/connection/controller_line.h"
#include "infrastructure/table.h"

namespace gp {

void Cli::AddTo(CLI::App& app) {
  app.add_option("--server", server,
                 "Directory of the controller's sockets, or its address: 127.0.0.1:7070")
      ->envname("GPU_PLATFORM_SERVER")
      ->type_name("PLACE");
  app.add_option("-o,--output", output, "table, wide, json, yaml, csv or name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "csv", "name"}))
      ->envname("GPU_PLATFORM_OUTPUT")
      ->type_name("FORMAT");
  app.add_flag("--json", json, "The same as -o json");
  app.add_flag("--no-headers", no_headers, "Print tables without headers");
  app.add_flag("-q,--quiet", quiet, "No hints on stderr");
}

Result<ControlClient*> Cli::Controller() {
  if (client_ == nullptr) client_ = GP_TRY(OpenController(server));
  return client_.get();
}

bool Cli::Offers(std::initializer_list<std::string_view> formats) {
  if (WantsDocument() || std::ranges::find(formats, output) != formats.end()) return true;
  std::string names;
  for (const std::string_view format : formats) names += std::string(format) + ", ";
  Complain(
      InvalidArgument("--output " + output + ": this command offers " + names + "json and yaml"));
  return false;
}

bool Cli::PrintDocument(const google::protobuf::Message& message) const {
  return WantsDocument() && PrintDocument(ToDocument(message));
}

bool Cli::PrintDocument(const nlohmann::ordered_json& document) const {
  if (!WantsDocument()) return false;
  const std::string text =
      output == "yaml"
          ? ToYaml(document)
          : document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return true;
}

void Cli::PrintTable(const Table& table) const {
  const bool headers = !no_headers;
  std::fputs((output == "csv" ? table.ToCsv(headers) : table.ToText(headers)).c_str(), stdout);
}

void Cli::Say(const std::string& text) const {
  if (!quiet) std::fprintf(stderr, "» %s\n", text.c_str());
}

void Cli::Complain(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  exit_code = ExitCodeFor(error.code);
}

}  // namespace gp
