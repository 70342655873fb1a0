#include "cmd/output.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/documents/document.h"
#include "adapters/wire/error.h"
#include "base/text.h"
#include "infrastructure/table.h"
#include "infrastructure/terminal_text.h"

namespace gp {

void Output::AddTo(CLI::App& app) {
  app.add_option("-o,--output", output, "table, wide, json, yaml, csv or name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "csv", "name"}))
      ->envname("GPU_PLATFORM_OUTPUT")
      ->type_name("FORMAT");
  app.add_flag("--json", json, "The same as -o json");
  app.add_flag("--no-headers", no_headers, "Print tables without headers");
  app.add_flag("-q,--quiet", quiet, "No hints on stderr");
}

bool Output::Offers(std::initializer_list<std::string_view> formats) {
  if (WantsDocument() || std::ranges::find(formats, output) != formats.end()) return true;
  std::string names;
  for (const std::string_view format : formats) names += std::string(format) + ", ";
  Complain(
      InvalidArgument("--output " + output + ": this command offers " + names + "json and yaml"));
  return false;
}

bool Output::PrintDocument(const nlohmann::ordered_json& document) const {
  if (!WantsDocument()) return false;
  const std::string text =
      output == "yaml"
          ? ToYaml(document)
          : document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return true;
}

CLI::App* Output::AddListFlags(CLI::App* list) {
  list->add_option("-c,--columns", columns, "Show these columns, in this order")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COLUMN,...");
  list->add_option("--sort", sort, "Sort what is shown by this column; -COLUMN: in reverse")
      ->type_name("COLUMN");
  return list;
}

bool Output::PrintTable(const Table& table) {
  const TableView view{.columns = columns,
                       .sort = sort,
                       .wide = output == "wide",
                       .headers = !no_headers,
                       .colors = OutputHasColors(),
                       .width = WidthOfTerminal()};
  const auto text = output == "csv" ? table.ToCsv(view) : table.ToText(view);
  if (!text) Complain(text.error());
  if (text) std::fputs(text->c_str(), stdout);
  return text.has_value();
}

void Output::PrintText(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = ForLocale(Printable(text.substr(at, end - at), std::string::npos));
    std::printf(end < text.size() ? "%s\n" : "%s", line.c_str());
    at = end + 1;
  }
}

void Output::PrintList(const Table& table, std::string_view what) {
  if (PrintTable(table) && table.empty()) Say("no " + std::string(what));
}

void Output::Say(const std::string& text) const {
  if (!quiet) std::fprintf(stderr, "» %s\n", text.c_str());
}

void Output::Complain(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  exit_code = ExitCodeFor(error.code);
}

}  // namespace gp
